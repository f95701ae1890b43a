'use strict';
// Knex: its schema builder, queries and migrations.
const { assert, check, end, fresh, host, port, same } = require('./check');

(async () => {
  await fresh('knex');
  const knex = require('knex')({ client: 'mysql2', connection: { host, port, user: 'root', database: 'knex' } });
  await check('knex schema', async () => {
    await knex.schema.createTable('users', (t) => {
      t.increments('id'); t.string('name', 50).notNullable().comment('the name'); t.integer('age').unsigned().defaultTo(3).index(); t.bigInteger('big'); t.text('bio', 'longtext');
      t.decimal('money', 10, 2); t.float('f'); t.double('d'); t.boolean('ok').defaultTo(true); t.date('day'); t.dateTime('at', { precision: 3 }).defaultTo(knex.fn.now(3)); t.timestamp('ts'); t.timestamps(true, true);
      t.time('tm'); t.binary('b'); t.enu('colour', ['red', 'green']); t.json('j'); t.jsonb('jb'); t.uuid('u'); t.geometry('g'); t.point('p');
      t.unique(['name', 'age'], { indexName: 'un' }); t.check('?? > 0', ['age']); t.engine('InnoDB'); t.charset('utf8mb4'); t.collate('utf8mb4_bin'); t.comment('all users');
    });
    await knex.schema.createTable('posts', (t) => {
      t.bigIncrements(); t.integer('user_id').unsigned().references('id').inTable('users').onDelete('CASCADE').onUpdate('RESTRICT'); t.string('title').collate('utf8mb4_general_ci'); t.primary; t.index(['title'], 'ix');
    });
    await knex.schema.alterTable('posts', (t) => { t.string('title', 100).notNullable().alter(); t.renameColumn('title', 'heading'); t.integer('extra').after('id'); t.dropIndex([], 'ix'); });
    await knex.schema.alterTable('posts', (t) => { t.dropForeign('user_id'); });
    await knex.schema.alterTable('posts', (t) => { t.foreign('user_id', 'again').references('users.id'); t.setNullable('heading'); t.dropColumn('extra'); });
    same(await knex.schema.hasTable('posts'), true);
    same(await knex.schema.hasColumn('posts', 'heading'), true);
    const info = await knex('users').columnInfo();
    same([info.name.type, info.name.maxLength, info.name.nullable, String(info.age.defaultValue)], ['varchar', 50, false, '3']);
    await knex.schema.createView('v', (v) => { v.columns(['id']); v.as(knex('users').select('id')); });
    await knex.schema.createViewOrReplace('v', (v) => { v.columns(['id']); v.as(knex('users').select('id').where('age', '>', 1)); });
    await knex.schema.renameTable('posts', 'articles');
    await knex.schema.createTableLike('copy', 'users');
    await knex.schema.dropTable('copy');
    await knex.schema.dropView('v');
    await knex.schema.raw('analyze table users');
  });
  await check('knex queries', async () => {
    const [id] = await knex('users').insert([{ name: 'a', j: JSON.stringify({ x: { y: 1 } }) }, { name: 'b', age: 9 }]);
    same(id, 1);
    await knex('users').insert({ id: 1, name: 'z' }).onConflict('id').merge({ name: 'zz' });
    await knex('users').insert({ id: 1, name: 'q' }).onConflict('id').ignore();
    same((await knex('users').where('id', 1).first()).name, 'zz');
    await knex('articles').insert({ user_id: 1, heading: 'h' });
    same((await knex('users as u').leftJoin('articles as a', 'a.user_id', 'u.id').select('u.id', knex.raw('count(a.id) as n')).groupBy('u.id').having('n', '>=', 0).orderBy([{ column: 'u.id', order: 'desc' }])).map((r) => r.n), [0, 1]);
    same(Number((await knex('users').jsonExtract('j', '$.x.y', 'y').whereNotNull('j'))[0].y), 1);
    same((await knex('users').whereJsonPath('j', '$.x.y', '=', 1)).length, 1);
    same((await knex.with('w', knex('users').select('id')).from('w').union(knex('articles').select('id')).limit(5)).length, 2);
    same((await knex('users').select('id').rank('r', (q) => q.orderBy('age')).limit(1).offset(1)).length, 1);
    same(await knex('users').increment('age', 2), 2);
    const trx = await knex.transaction({ isolationLevel: 'read committed' });
    await trx('users').forUpdate().where('id', 1).noWait();
    await trx('users').forUpdate().skipLocked();
    await trx('articles').del();
    await trx.rollback();
    same(await knex('articles').count({ n: '*' }), [{ n: 1 }]);
    let n = 0;
    for await (const row of knex('users').stream()) n += row.id;
    same(n, 3);
    await assert.rejects(knex('users').insert({ id: 1, name: 'a' }), (e) => e.code === 'ER_DUP_ENTRY');
    await knex.raw('select ? as a, ?? from users', [1, 'name']);
    await knex('users').truncate().catch((e) => same(e.errno, 1701));
  });
  await check('knex migrations', async () => {
    const migrations = [{ name: 'one', up: (k) => k.schema.createTable('m', (t) => t.increments()), down: (k) => k.schema.dropTable('m') }, { name: 'two', up: (k) => k.schema.alterTable('m', (t) => t.string('s')), down: (k) => k.schema.alterTable('m', (t) => t.dropColumn('s')) }];
    const migrationSource = { getMigrations: async () => migrations, getMigrationName: (m) => m.name, getMigration: async (m) => m };
    await knex.migrate.latest({ migrationSource });
    same((await knex.migrate.list({ migrationSource }))[0].length, 2);
    await knex.migrate.rollback({ migrationSource }, true);
    same(await knex.schema.hasTable('m'), false);
  });
  await knex.destroy();
  end();
})().catch((e) => { console.error(e); process.exit(2); });
