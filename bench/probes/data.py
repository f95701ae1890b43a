"""The rows of the probes, from a seed: uniform, skewed and few values, NULLs, texts with a common beginning, JSON."""
import datetime
import os
import random

WORDS = ("river stone lake cloud field forest mountain valley ocean island harbor bridge castle garden window mirror copper silver golden amber "
         "crystal shadow winter summer autumn spring morning evening thunder lightning rainbow meadow canyon desert glacier volcano prairie "
         "jungle savanna tundra").split()


def skewed(r, shape, most):
    """A number below `most`, small ones far more often."""
    return min(int(r.paretovariate(shape)), 10 ** 9) % most


def write(folder, scale):
    r = random.Random(7)
    rows, others = int(150_000 * scale), int(20_000 * scale)
    days = [(datetime.date(2015, 1, 1) + datetime.timedelta(n)).isoformat() for n in range(3650)]
    with open(os.path.join(folder, "t.tbl"), "w") as f:
        for n in range(1, rows + 1):
            a, b, c, g = r.randrange(1000), r.randrange(10_000), skewed(r, 0.3, 100_000), r.randrange(10)
            null = "\\N" if r.random() < 0.05 else str(b * 7 % 5003)
            words = [r.choice(WORDS) for _ in range(4)]
            day, second = r.choice(days), r.randrange(86_400)
            time = f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
            document = f'{{"k":{b},"s":"{words[1]}","n":{{"x":{a}}}}}'
            f.write("\t".join([str(n), str(a), str(b), str(c), str(g), null, f"{r.randrange(-10 ** 7, 10 ** 7) / 100:.2f}",
                               f"{r.uniform(-1000, 1000):.6f}", f"key{r.randrange(200_000):06}", f"{words[0]}{a % 97}", day,
                               f"{day} {time}", " ".join(words), document, "x" * (60 + n % 40)]) + "\n")
    with open(os.path.join(folder, "u.tbl"), "w") as f:
        for n in range(1, others + 1):
            v = r.randrange(50_000)
            f.write(f"{n}\t{r.randrange(1000)}\t{r.randrange(10_000)}\t{v % 50 if n % 3 == 0 else v}\n")
    return ["t", "u"]
