import asyncio

import aiomysql
import checks


async def main():
    how = dict(host=checks.HOST, port=checks.PORT, db=checks.SCHEMA, charset="utf8mb4")
    for user, password in checks.ACCOUNTS:
        c = await aiomysql.connect(user=user, password=password, **how)
        cursor = await c.cursor()
        await cursor.execute("select current_user()")
        assert await cursor.fetchone() == (f"{user}@%",)
        c.close()
    async with aiomysql.create_pool(user="root", maxsize=4, **how) as pool:

        async def one(n):
            async with pool.acquire() as c, c.cursor(aiomysql.DictCursor) as cursor:
                await cursor.execute("select %s + sleep(0.01) as n", (n,))
                return (await cursor.fetchone())["n"]

        assert await asyncio.gather(*(one(n) for n in range(12))) == list(range(12))


asyncio.run(main())
