"""Films, those who made them, and what is said of them, from a seed: references are skewed, and what is said depends on the kind of film."""
import bisect
import itertools
import os
import random

KINDS = ["movie", "tv series", "tv movie", "video movie", "tv mini series", "video game", "episode"]
COUNTRIES = ["[us]", "[gb]", "[de]", "[fr]", "[jp]", "[in]", "[it]", "[se]"]
INFOS = ["genres", "rating", "votes", "budget", "countries", "languages", "release dates", "runtimes"]
GENRES = ["Drama", "Comedy", "Horror", "Action", "Documentary", "Short", "Sci-Fi", "Western"]
ROLES = ["actor", "actress", "producer", "writer", "cinematographer", "composer", "costume designer", "director", "editor", "guest", "misc",
         "production designer"]
COMPANIES = ["distributors", "production companies", "special effects companies", "miscellaneous companies"]
KEYWORDS = {0: "murder", 1: "character-name-in-title", 3: "sequel", 40: "superhero"}


def write(folder, scale):
    r = random.Random(11)
    films, names, companies, keywords = int(100_000 * scale), int(80_000 * scale), int(10_000 * scale), int(6000 * scale)
    tables = []

    def table(name, rows):
        tables.append(name)
        with open(os.path.join(folder, f"{name}.tbl"), "w") as f:
            f.writelines(f"{n}\t" + "\t".join(map(str, row)) + "\n" for n, row in enumerate(rows, 1))

    def often(shape, most):
        return (min(int(r.paretovariate(shape)), 10 ** 12) - 1) % most

    def weighted(shares):
        bounds = list(itertools.accumulate(shares))
        return lambda: min(bisect.bisect(bounds, r.random()), len(shares) - 1)

    kind_of = weighted([.12, .03, .03, .05, .01, .01, .75])
    kind = [kind_of() for _ in range(films)]

    def year(k):
        return 1980 + int(r.betavariate(5, 1.5) * 43) if k == 6 else 1920 + int(r.betavariate(4, 1.5) * 103)

    table("kind_type", [[k] for k in KINDS])
    table("title", ([f"title {n} {'the' if n % 7 else 'of'} {n % 997}", k + 1, year(k), n % 50] for n, k in enumerate(kind)))
    country = weighted([.5, .15, .1, .08, .07, .05, .03, .02])
    table("company_name", ([f"company {n} {'Film' if n % 11 == 0 else 'Prod'}", COUNTRIES[country()]] for n in range(companies)))
    table("company_type", [[c] for c in COMPANIES])
    note = lambda n: "(co-production)" if n % 13 == 0 else "(VHS)" if n % 5 == 0 else ""
    table("movie_companies", ([often(.05, films) + 1, often(.15, companies) + 1, r.randrange(2) + 1, note(n)] for n in range(int(200_000 * scale))))
    table("keyword", ([KEYWORDS.get(n, f"kw-{n}")] for n in range(keywords)))
    table("movie_keyword", ([often(.05, films) + 1, often(.1, keywords) + 1] for _ in range(int(300_000 * scale))))
    table("info_type", ([INFOS[n] if n < 8 else f"info{n}"] for n in range(60)))
    info = weighted([.25, .02, .02, .03, .2, .18, .2, .1])

    def said(n):
        film, of = r.randrange(films), info()
        text = {0: GENRES[(kind[film] * 3 + n % 3) % 8], 1: str(r.randrange(1, 100) / 10), 4: COUNTRIES[n % 8], 5: COUNTRIES[n % 8]}
        return [film + 1, of + 1, text.get(of, f"v{n % 1000}")]

    table("movie_info", map(said, range(int(400_000 * scale))))
    table("movie_info_idx", ([often(.02, films) + 1, r.randrange(2) + 2, f"{n * 37 % 90 / 10 + 1:.1f}"] for n in range(int(80_000 * scale))))
    code = lambda n: ("Z" if n % 23 == 0 else "B" if n % 5 == 0 else "A") + str(n % 100)
    table("name", ([f"name {n}", "m" if n % 3 else "f", code(n)] for n in range(names)))
    table("role_type", [[role] for role in ROLES])
    part = lambda n: "(voice)" if n % 17 == 0 else "(uncredited)" if n % 9 == 0 else ""
    table("cast_info", ([often(.1, names) + 1, often(.03, films) + 1, often(.5, 12) + 1, part(n)] for n in range(int(500_000 * scale))))
    table("aka_name", ([often(.1, names) + 1, f"aka {n}"] for n in range(int(90_000 * scale))))
    return tables
