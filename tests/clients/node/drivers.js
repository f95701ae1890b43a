'use strict';
// mysql2, mysql and mariadb: the three drivers of Node.
const { assert, check, end, fresh, host, port, same } = require('./check');
const fs = require('fs');
const os = require('os');
const path = require('path');
const base = { host, port, user: 'root', database: 'drivers' };

const KINDS = `create table kinds (id bigint unsigned primary key, i int, ti tinyint, bi bigint, n decimal(30,10), f float, d double, bits bit(10), ch char(5), vc varchar(40),
  t text, bl blob, e enum('a','b'), s set('x','y'), j json, y year, dt date, tm time(3), at datetime(6), ts timestamp(3) null, p point, ls linestring, poly polygon, gc geometrycollection)`;

async function kinds(query, execute) {
  await query('drop table if exists kinds');
  await query(KINDS);
  await execute(
    `insert into kinds values (?, ?, ?, ?, ?, ?, ?, b'1000000001', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, st_geomfromtext('POINT(1 2)'), st_geomfromtext('LINESTRING(0 0,1 1)'),
     st_geomfromtext('POLYGON((0 0,4 0,4 4,0 0))'), st_geomfromtext('GEOMETRYCOLLECTION(POINT(1 1))'))`,
    ['18446744073709551615', -5, 127, '-9223372036854775808', '12345678901234567890.0123456789', 1.5, 1e300, 'abc', 'ä€😀', 'text', Buffer.from([0, 255, 39, 92]), 'b', 'x,y',
      JSON.stringify({ k: [1, null] }), 2024, '2024-02-29', '-12:34:56.789', '2024-02-29 01:02:03.456789', '2024-02-29 01:02:03.456']);
  await execute('insert into kinds (id) values (?)', [1]);
}

function compare(row, big) {
  same(row.i, -5);
  same(String(row.id), '18446744073709551615');
  same(String(row.bi), '-9223372036854775808');
  if (!big) same(row.n, '12345678901234567890.0123456789');
  same(row.d, 1e300);
  same(row.bits, Buffer.from([2, 1]));
  same(row.vc, 'ä€😀');
  same(row.bl, Buffer.from([0, 255, 39, 92]));
  same(typeof row.j === 'string' ? JSON.parse(row.j) : row.j, { k: [1, null] });
  same(row.y, 2024);
  assert.match(row.tm, /^-12:34:56\.789/);
}

async function mysql2() {
  const mysql = require('mysql2/promise');
  const c = await mysql.createConnection({ ...base, supportBigNumbers: true, bigNumberStrings: true, timezone: 'Z', multipleStatements: true, infileStreamFactory: (file) => fs.createReadStream(file) });
  for (const way of ['query', 'execute']) {
    await check(`mysql2 types by ${way}`, async () => {
      await kinds((s) => c.query(s), (s, v) => c[way](s, v));
      const [rows, fields] = await c[way]('select * from kinds order by id desc');
      compare(rows[0]);
      same(rows[0].p, { x: 1, y: 2 });
      same(rows[0].poly, [[{ x: 0, y: 0 }, { x: 4, y: 0 }, { x: 4, y: 4 }, { x: 0, y: 0 }]]);
      same(rows[0].at.toISOString(), '2024-02-29T01:02:03.456Z');
      for (const f of fields.slice(1)) same(rows[1][f.name], null);
      same([fields[0].table, fields[0].orgTable, fields[0].schema || fields[0].db], ['kinds', 'kinds', 'drivers']);
    });
  }
  await check('mysql2 named placeholders and lists', async () => {
    const [rows] = await c.query({ sql: 'select :a + 1 as a, :b as b', namedPlaceholders: true }, { a: 1, b: 'x' });
    same(rows[0], { a: '2', b: 'x' });
    const [more] = await c.execute({ sql: 'select :a as a, :b as b, :a as c', namedPlaceholders: true }, { a: 'one', b: null });
    same(more[0], { a: 'one', b: null, c: 'one' });
    same((await c.query('select ?? from kinds where id in (?)', ['i', [1, 2]]))[0], [{ i: null }]);
  });
  await check('mysql2 bulk insert, insertId, info, rows as arrays', async () => {
    await c.query('drop table if exists bulk');
    await c.query('create table bulk (id int primary key auto_increment, v varchar(10), unique (v))');
    const [r] = await c.query('insert into bulk (v) values ?', [[['a'], ['b'], ['c']]]);
    same([r.insertId, r.affectedRows, r.info], [1, 3, 'Records: 3  Duplicates: 0  Warnings: 0']);
    const [u] = await c.execute('update bulk set v = ? where id = ?', ['a', 1]);
    same([u.affectedRows, u.changedRows, u.info], [1, 0, 'Rows matched: 1  Changed: 0  Warnings: 0']);
    const [d] = await c.execute("insert into bulk (v) values ('a') on duplicate key update v = 'z'");
    same(d.affectedRows, 2);
    same((await c.query({ sql: 'select * from bulk', rowsAsArray: true }))[0], [[1, 'z'], [2, 'b'], [3, 'c']]);
    same((await c.query({ sql: 'select b.id, k.id from bulk b join kinds k on k.id = b.id', nestTables: true }))[0], [{ b: { id: 1 }, k: { id: '1' } }]);
  });
  await check('mysql2 prepared statements, again with other types', async () => {
    const p = await c.prepare('select ? as a, ? as b');
    for (const v of [[1, 'x'], ['y', 2.5], [null, null], [Buffer.from('z'), true]]) same((await p.execute(v))[0].length, 1);
    await p.close();
    for (let i = 0; i < 300; i++) await c.execute(`select ${i} as n, ? as v`, [i]);
    await assert.rejects(c.execute('select * from nowhere where a = ?', [1]), (e) => e.errno === 1146 && e.sqlState === '42S02' && e.code === 'ER_NO_SUCH_TABLE');
    await c.query('alter table bulk add column w int default 3');
    same((await c.execute('select * from bulk where id = ?', [1]))[0][0].w, 3);
    same((await c.execute('select id from bulk order by id limit ?, ?', ['1', '1']))[0], [{ id: 2 }]);
  });
  await check('mysql2 several statements and procedures', async () => {
    await c.query('drop procedure if exists pr');
    await c.query('create procedure pr(in a int, out b int) begin select a as x; select a + 1 as y; set b = a * 2; end');
    const [r] = await c.query('call pr(5, @b); select @b as b');
    same([r[0][0].x, Number(r[1][0].y), r[2].affectedRows, Number(r[3][0].b)], [5, 6, 0, 10]);
    const [e] = await c.execute('call pr(?, @b)', [7]);
    same(e[0][0].x, 7);
  });
  await check('mysql2 streams', async () => {
    const rows = await new Promise((resolve, reject) => {
      let n = 0;
      c.connection.query('with recursive n as (select 1 as i union all select i + 1 from n where i < 900) select i, repeat("x", 100) as x from n').stream({ highWaterMark: 5 })
        .on('data', () => n++).on('end', () => resolve(n)).on('error', reject);
    });
    same(rows, 900);
  });
  await check('mysql2 LOAD DATA LOCAL', async () => {
    const file = path.join(os.tmpdir(), `weir-${process.pid}.csv`);
    fs.writeFileSync(file, '7\tseven\n8\t\\N\n');
    const [r] = await c.query(`load data local infile '${file}' into table bulk (id, v)`);
    fs.unlinkSync(file);
    same(r.affectedRows, 2);
  });
  await check('mysql2 transactions, ping, changeUser, reset', async () => {
    await c.beginTransaction();
    await c.query('delete from bulk');
    await c.rollback();
    same((await c.query('select count(*) as n from bulk'))[0][0].n, '5');
    await c.ping();
    await c.query("create user if not exists other identified with mysql_native_password by 'pw'");
    await c.query('grant all on drivers.* to other');
    await c.changeUser({ user: 'other', password: 'pw', database: 'drivers' });
    same((await c.query('select current_user() as u'))[0][0].u, 'other@%');
    await c.query("set @a = 1");
    await c.reset();
    const admin = await mysql.createConnection(base);
    await admin.query("alter user other identified with caching_sha2_password by 'pw2'");
    same((await c.query('select @a as a'))[0][0].a, null);
    const d = await mysql.createConnection({ ...base, user: 'other', password: 'pw2' });
    await d.end();
    await assert.rejects(mysql.createConnection({ ...base, user: 'other', password: 'wrong' }), (e) => e.errno === 1045);
    await admin.query('drop user other');
    await admin.end();
  });
  await check('mysql2 compression, dateStrings, typeCast, charset', async () => {
    const d = await mysql.createConnection({ ...base, compress: true, dateStrings: true, charset: 'latin1_swedish_ci', typeCast: (f, next) => (f.type === 'LONGLONG' ? BigInt(f.string()) : next()) });
    same((await d.query("select cast('2024-02-29 01:02:03' as datetime) as d, cast(1 as signed) as n, repeat('x', 100000) as r, 'ä' as u, @@character_set_client as c"))[0][0],
      { d: '2024-02-29 01:02:03', n: 1n, r: 'x'.repeat(100000), u: 'ä', c: 'latin1' });
    await d.end();
  });
  await check('mysql2 pool', async () => {
    const pool = mysql.createPool({ ...base, connectionLimit: 4, maxIdle: 2 });
    const got = await Promise.all([...Array(40).keys()].map((i) => pool.execute('select ? + 0 as n, sleep(0.01)', [i])));
    same(got.map((r) => Number(r[0][0].n)), [...Array(40).keys()]);
    await pool.end();
  });
  await c.end();
}

async function mysql() {
  const driver = require('mysql');
  const util = require('util');
  const admin = await require('mysql2/promise').createConnection(base);
  await admin.query("create user if not exists plain identified with mysql_native_password by 'pw'");
  await admin.query('grant all on *.* to plain');
  const c = driver.createConnection({ ...base, user: 'plain', password: 'pw', supportBigNumbers: true, bigNumberStrings: true, multipleStatements: true, timezone: 'Z' });
  const query = util.promisify(c.query).bind(c);
  await check('mysql types', async () => {
    await kinds(query, query);
    const [row, empty] = await query('select * from kinds order by id desc');
    compare(row);
    same(row.p, { x: 1, y: 2 });
    same(Object.values(empty).slice(1).every((v) => v === null), true);
  });
  await check('mysql streams, several statements, errors, timeout', async () => {
    const n = await new Promise((resolve, reject) => {
      let seen = 0;
      c.query('select * from kinds').on('result', () => { seen++; c.pause(); setTimeout(() => c.resume(), 1); }).on('error', reject).on('end', () => resolve(seen));
    });
    same(n, 2);
    same((await query('select 1 as a; select 2 as b')).length, 2);
    await assert.rejects(query('selec'), (e) => e.code === 'ER_PARSE_ERROR' && e.errno === 1064 && e.sqlState === '42000');
    await util.promisify(c.changeUser).bind(c)({ user: 'plain', password: 'pw', database: 'mysql' });
    same((await query('select database() as d'))[0].d, 'mysql');
    await util.promisify(c.statistics).bind(c)();
    await util.promisify(c.ping).bind(c)();
  });
  c.end();
  await admin.query('drop user plain');
  await admin.end();
}

async function mariadb() {
  const driver = require('mariadb');
  const c = await driver.createConnection({ ...base, multipleStatements: true, timezone: 'Z', bulk: true, permitLocalInfile: true });
  for (const way of ['query', 'execute']) {
    await check(`mariadb types by ${way}`, async () => {
      await kinds((s) => c.query(s), (s, v) => c[way](s, v));
      const rows = await c[way]('select * from kinds order by id desc');
      compare(rows[0], true);
      same(rows[0].p, { type: 'Point', coordinates: [1, 2] });
      same(rows[1].p, null);
    });
  }
  await check('mariadb batches, streams, errors, metadata', async () => {
    await c.query('drop table if exists mb');
    await c.query('create table mb (id int primary key auto_increment, v varchar(10), d datetime)');
    await c.batch('insert into mb (v, d) values (?, ?)', [['a', new Date(0)], ['b', null], [null, new Date(1e12)]]);
    same((await c.query('select * from mb where id = 1'))[0].d.toISOString(), '1970-01-01T00:00:00.000Z');
    let n = 0;
    for await (const row of c.queryStream('select * from mb')) n += row.id;
    same(n, 6);
    await assert.rejects(c.query('select * from nowhere'), (e) => e.errno === 1146);
    const p = await c.prepare('select * from mb where id = ?');
    same((await p.execute([2]))[0].v, 'b');
    p.close();
    await c.beginTransaction();
    await c.query('delete from mb');
    await c.rollback();
    await c.reset();
    await c.ping();
    same(Number((await c.query('select count(*) as n from mb'))[0].n), 3);
  });
  await c.end();
  await check('mariadb pool', async () => {
    const pool = driver.createPool({ ...base, connectionLimit: 3, resetAfterUse: true });
    await Promise.all([...Array(20).keys()].map((i) => pool.query('select ? as n', [i])));
    await pool.end();
  });
}

(async () => {
  await fresh('drivers');
  await mysql2();
  await mysql();
  await mariadb();
  end();
})().catch((e) => { console.error(e); process.exit(2); });
