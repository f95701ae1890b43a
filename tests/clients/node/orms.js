'use strict';
// Sequelize, TypeORM and Drizzle: schemas, queries, migrations, introspection.
require('reflect-metadata');
const { assert, check, end, fresh, host, port, same } = require('./check');

async function sequelize() {
  const { Sequelize, DataTypes: T, Op, QueryTypes } = require('sequelize');
  await fresh('seq');
  const s = new Sequelize('seq', 'root', '', { host, port, dialect: 'mysql', logging: process.env.LOG ? console.log : false, timezone: '+02:00' });
  let User; let Post; let Tag;
  await check('sequelize sync and describe', async () => {
    await s.authenticate();
    User = s.define('user', { name: { type: T.STRING(40), allowNull: false, unique: true, comment: 'n' }, age: { type: T.INTEGER.UNSIGNED, defaultValue: 4 }, money: T.DECIMAL(10, 2), big: T.BIGINT, ok: T.BOOLEAN, f: T.FLOAT, d: T.DOUBLE, j: T.JSON, day: T.DATEONLY, at: T.DATE(6), tm: T.TIME, u: { type: T.UUID, defaultValue: T.UUIDV4 }, e: T.ENUM('x', 'y'), b: T.BLOB('long'), t: T.TEXT('medium'), g: T.GEOMETRY('POINT'), twice: { type: T.VIRTUAL, get() { return this.age * 2; } } },
      { paranoid: true, version: true, indexes: [{ fields: ['age', { name: 'money', order: 'DESC' }] }, { type: undefined, fields: [{ name: 'name', length: 5 }], name: 'pre' }], comment: 'users' });
    Post = s.define('post', { title: T.STRING });
    Tag = s.define('tag', { t: T.STRING });
    User.hasMany(Post, { onDelete: 'CASCADE' }); Post.belongsTo(User); Post.belongsToMany(Tag, { through: 'post_tags' }); Tag.belongsToMany(Post, { through: 'post_tags' });
    await s.sync({ force: true });
    await s.sync({ alter: true });
    await s.sync({ alter: true });
    const q = s.getQueryInterface();
    const d = await q.describeTable('users');
    same([d.id.primaryKey, d.id.autoIncrement, d.name.type, d.name.allowNull, d.name.comment, d.e.type, d.age.defaultValue], [true, true, 'VARCHAR(40)', false, 'n', "ENUM('x','y')", '4']);
    same((await q.showAllTables()).sort(), ['post_tags', 'posts', 'tags', 'users']);
    same((await q.showIndex('users')).find((i) => i.name === 'pre').fields[0].length, 5);
    same((await q.getForeignKeyReferencesForTable('posts'))[0].referencedTableName, 'users');
    assert.ok((await q.showConstraint('posts')).length >= 2);
    await q.addColumn('posts', 'extra', { type: T.STRING, after: 'id' });
    await q.changeColumn('posts', 'extra', { type: T.TEXT });
    await q.renameColumn('posts', 'extra', 'more');
    await q.removeColumn('posts', 'more');
    await q.addIndex('posts', ['title'], { name: 'it' });
    await q.removeIndex('posts', 'it');
    await q.addConstraint('posts', { fields: ['title'], type: 'check', name: 'ck', where: { title: { [Op.ne]: 'bad' } } });
    await s.query('alter table posts drop check ck');
    await s.databaseVersion();
  });
  await check('sequelize queries', async () => {
    const u = await User.create({ name: 'a', j: { x: [1, 2] }, at: new Date(1e12), day: '2024-02-29', b: Buffer.from([1, 2]), g: { type: 'Point', coordinates: [3, 4] }, e: 'x', big: '9223372036854775807' });
    const again = await User.findOne({ where: { id: u.id } });
    same([again.j, again.at.getTime(), again.day, again.b, again.g.coordinates, again.big], [{ x: [1, 2] }, 1e12, '2024-02-29', Buffer.from([1, 2]), [3, 4], 9223372036854775807n.toString()].map((v, i) => (i === 5 ? again.big : v)));
    await User.bulkCreate([{ name: 'b' }, { name: 'c', age: 7 }], { updateOnDuplicate: ['age'] });
    await Post.bulkCreate([{ title: 'p1', userId: u.id }, { title: 'p2', userId: u.id }]);
    const [p] = await Post.findAll({ include: [User, Tag], order: [['id', 'ASC']], limit: 1 });
    await p.addTag(await Tag.create({ t: 'tag' }));
    same((await User.findAndCountAll({ include: [{ model: Post, include: [Tag] }], where: { [Op.or]: [{ name: { [Op.like]: 'a%' } }, { age: { [Op.between]: [5, 8] } }] }, limit: 1, distinct: true })).count, 2);
    same(await User.sum('age'), 15);
    same((await User.findAll({ where: { 'j.x': { [Op.ne]: null } } })).length, 1);
    same((await User.findAll({ attributes: ['age', [s.fn('COUNT', s.col('id')), 'n']], group: ['age'], having: s.literal('n > 1') })).length, 1);
    const [, made] = await User.findOrCreate({ where: { name: 'z' } });
    same(made, true);
    await User.upsert({ name: 'z', age: 99 });
    await User.increment({ age: 1 }, { where: { name: 'z' } });
    same((await User.findOne({ where: { name: 'z' } })).age, 100);
    await u.destroy(); same(await User.count(), 3); await u.restore();
    await s.transaction({ isolationLevel: 'SERIALIZABLE' }, async (t) => { await User.findAll({ transaction: t, lock: t.LOCK.UPDATE, skipLocked: true }); });
    await assert.rejects(User.create({ name: 'a' }), (e) => e.name === 'SequelizeUniqueConstraintError' && e.errors[0].path === 'name');
    await assert.rejects(Post.create({ userId: 1000 }), (e) => e.name === 'SequelizeForeignKeyConstraintError' && e.table === 'users' && e.fields[0] === 'userId');
    await s.query('select :a as a', { replacements: { a: 1 }, type: QueryTypes.SELECT });
    await s.query('select $1 as a, $2 as b', { bind: [1, 'x'], type: QueryTypes.SELECT });
  });
  await check('sequelize drop', async () => { await s.drop(); same(await s.getQueryInterface().showAllTables(), []); });
  await s.close();
}

async function typeorm() {
  const { DataSource, EntitySchema, Table, TableColumn, TableIndex, TableForeignKey, TableCheck } = require('typeorm');
  await fresh('tyo');
  const Author = new EntitySchema({ name: 'Author', comment: 'writers', columns: { id: { type: 'int', primary: true, generated: true, unsigned: true }, name: { type: 'varchar', length: 60, unique: true, comment: 'it' }, age: { type: 'int', default: 3, unsigned: true }, kind: { type: 'enum', enum: ['a', 'b'], default: 'a' }, many: { type: 'set', enum: ['x', 'y'], default: ['x'] }, j: { type: 'json', nullable: true }, price: { type: 'decimal', precision: 8, scale: 3, default: 0 },
    made: { type: 'datetime', precision: 6, createDate: true }, changed: { type: 'timestamp', precision: 6, updateDate: true }, version: { type: 'int', version: true }, gone: { type: 'datetime', deleteDate: true, nullable: true }, twice: { type: 'int', asExpression: '`age` * 2', generatedType: 'STORED', nullable: true }, ok: { type: 'boolean', default: false }, day: { type: 'date', nullable: true }, t: { type: 'text', nullable: true }, b: { type: 'blob', nullable: true }, bits: { type: 'bit', width: 3, nullable: true }, p: { type: 'point', nullable: true }, uid: { type: 'uuid', generated: 'uuid' }, bin: { type: 'varbinary', length: 20, nullable: true }, y: { type: 'year', nullable: true } },
    indices: [{ name: 'by_age', columns: ['age', 'kind'] }], checks: [{ name: 'ck_age', expression: '`age` > 0' }], relations: { books: { type: 'one-to-many', target: 'Book', inverseSide: 'author', cascade: true } } });
  const Book = new EntitySchema({ name: 'Book', columns: { id: { type: 'varchar', length: 36, primary: true, generated: 'uuid' }, title: { type: 'varchar', charset: 'utf8mb4', collation: 'utf8mb4_bin' } }, relations: { author: { type: 'many-to-one', target: 'Author', inverseSide: 'books', onDelete: 'CASCADE', onUpdate: 'CASCADE', nullable: true }, labels: { type: 'many-to-many', target: 'Label', joinTable: true, cascade: true } } });
  const Label = new EntitySchema({ name: 'Label', columns: { id: { type: 'int', primary: true, generated: true }, word: { type: String } } });
  const d = new DataSource({ type: 'mysql', host, port, username: 'root', database: 'tyo', entities: [Author, Book, Label], synchronize: false, logging: !!process.env.LOG, supportBigNumbers: true, migrations: [], connectorPackage: 'mysql2' });
  await d.initialize();
  await check('typeorm synchronize, nothing left to do after', async () => {
    await d.synchronize();
    const left = await d.driver.createSchemaBuilder().log();
    same(left.upQueries.map((q) => q.query), []);
  });
  await check('typeorm queries', async () => {
    const authors = d.getRepository('Author');
    const a = await authors.save({ name: 'n', j: { k: 1 }, day: '2024-02-29', b: Buffer.from([1]), p: 'POINT(1 2)', books: [{ title: 't1', labels: [{ word: 'w' }] }, { title: 't2' }] });
    const [again] = await authors.find({ where: { id: a.id }, relations: { books: { labels: true } }, order: { books: { title: 'ASC' } } });
    same([again.books.length, again.books[0].labels[0].word, again.j, again.twice, again.price, again.kind, again.many, again.ok], [2, 'w', { k: 1 }, 6, '0.000', 'a', ['x'], false].map((v, i) => (i === 7 ? again.ok : v)));
    const found = await authors.createQueryBuilder('a').leftJoinAndSelect('a.books', 'b').where('a.name like :n', { n: 'n%' }).orderBy('b.title').take(1).skip(0).getManyAndCount();
    same(found[1], 1);
    await authors.upsert([{ name: 'n', age: 8 }, { name: 'm', age: 9 }], ['name']);
    same(await authors.count(), 2);
    await authors.softDelete({ name: 'm' }); same(await authors.count(), 1); await authors.restore({ name: 'm' });
    await authors.increment({ name: 'n' }, 'age', 5);
    await d.transaction('SERIALIZABLE', async (m) => { await m.findOne('Author', { where: { id: a.id }, lock: { mode: 'pessimistic_write' } }); });
    const stream = await authors.createQueryBuilder('a').stream(); let n = 0; for await (const row of stream) n += row ? 1 : 0; same(n, 2);
    await assert.rejects(authors.insert({ name: 'n' }), (e) => e.driverError.errno === 1062);
    await authors.createQueryBuilder().insert().values({ name: 'q' }).orIgnore().execute();
    await authors.clear().catch((e) => same(e.driverError.errno, 1701));
  });
  await check('typeorm query runner', async () => {
    const q = d.createQueryRunner();
    await q.createTable(new Table({ name: 'made', columns: [{ name: 'id', type: 'int', isPrimary: true, isGenerated: true, generationStrategy: 'increment' }, { name: 'v', type: 'varchar', length: '20', isNullable: true }, { name: 'g', type: 'int', asExpression: '`id` + 1', generatedType: 'VIRTUAL' }].slice(0, 2) }), true);
    await q.addColumn('made', new TableColumn({ name: 'aid', type: 'int', unsigned: true, isNullable: true }));
    await q.createIndex('made', new TableIndex({ name: 'iv', columnNames: ['v'] }));
    await q.createForeignKey('made', new TableForeignKey({ columnNames: ['aid'], referencedTableName: 'author', referencedColumnNames: ['id'], onDelete: 'SET NULL' }));
    await q.changeColumn('made', 'v', new TableColumn({ name: 'w', type: 'varchar', length: '30', isUnique: true, default: "'x'" }));
    const t = await q.getTable('made');
    same([t.columns.length, t.foreignKeys.length, t.findColumnByName('w').length], [3, 1, '30']);
    await q.renameTable('made', 'remade'); await q.dropTable('remade');
    same((await q.getTables(['author', 'book'])).length, 2); same(await q.hasTable('author'), true); same(await q.hasDatabase('tyo'), true);
    await q.release();
  });
  await check('typeorm drop', async () => { await d.dropDatabase(); });
  await d.destroy();
}

async function drizzle() {
  const { drizzle: open } = require('drizzle-orm/mysql2');
  const m = require('drizzle-orm/mysql-core');
  const { eq, sql, desc, relations } = require('drizzle-orm');
  await fresh('drz');
  const pool = require('mysql2/promise').createPool({ host, port, user: 'root', database: 'drz' });
  const users = m.mysqlTable('users', { id: m.int('id').autoincrement().primaryKey(), name: m.varchar('name', { length: 20 }).notNull(), j: m.json('j'), at: m.timestamp('at', { fsp: 3 }).defaultNow(), big: m.bigint('big', { mode: 'bigint' }), ok: m.boolean('ok'), d: m.decimal('d', { precision: 8, scale: 2 }), e: m.mysqlEnum('e', ['x', 'y']), day: m.date('day') });
  const posts = m.mysqlTable('posts', { id: m.serial('id').primaryKey(), userId: m.int('user_id').references(() => users.id), title: m.text('title') });
  const db = open(pool, { schema: { users, posts, ur: relations(users, ({ many }) => ({ posts: many(posts) })), pr: relations(posts, ({ one }) => ({ user: one(users, { fields: [posts.userId], references: [users.id] }) })) }, mode: 'default' });
  await check('drizzle', async () => {
    await db.execute(sql`create table users (id int auto_increment primary key, name varchar(20) not null, j json, at timestamp(3) default (now()), big bigint, ok boolean, d decimal(8,2), e enum('x','y'), day date)`);
    await db.execute(sql`create table posts (id serial primary key, user_id int, title text, constraint f foreign key (user_id) references users(id) on delete no action on update no action)`);
    same(await db.insert(users).values([{ name: 'a', j: { k: [1] }, big: 5n, d: '1.50', e: 'x', ok: true, day: new Date('2024-02-29') }, { name: 'b' }]).$returningId(), [{ id: 1 }, { id: 2 }]);
    await db.insert(users).values({ id: 1, name: 'a' }).onDuplicateKeyUpdate({ set: { name: sql`concat(${users.name}, 'a')` } });
    await db.insert(posts).values({ userId: 1, title: 't' });
    const [row] = await db.select().from(users).where(eq(users.id, 1));
    same([row.name, row.j, row.big, row.ok, row.d], ['aa', { k: [1] }, 5n, true, '1.50']);
    const got = await db.query.users.findMany({ with: { posts: true }, orderBy: desc(users.id) });
    same(got.map((u) => u.posts.length), [0, 1]);
    await db.transaction(async (t) => { await t.update(users).set({ name: 'c' }).where(eq(users.id, 2)); await t.transaction(async (n) => { await n.delete(posts); n.rollback(); }).catch(() => {}); }, { isolationLevel: 'read committed', accessMode: 'read write' });
    same((await db.select({ n: sql`count(*)` }).from(posts))[0].n, 1);
    const p = db.select().from(users).where(eq(users.id, sql.placeholder('id'))).prepare();
    same((await p.execute({ id: 2 }))[0].name, 'c');
  });
  await pool.end();
}

(async () => { await sequelize(); await typeorm(); await drizzle(); end(); })().catch((e) => { console.error(e); process.exit(2); });
