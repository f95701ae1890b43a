# mysql2 for Ruby, and ActiveRecord where it is installed.
require 'mysql2'

def same(want, got, what)
  abort "#{what}: expected #{want.inspect}, got #{got.inspect}" unless want == got
end

settings = { host: '127.0.0.1', port: ENV.fetch('WEIR_PORT').to_i, username: 'root', database: 'shop' }
c = Mysql2::Client.new(**settings, encoding: 'utf8mb4', flags: Mysql2::Client::MULTI_STATEMENTS)
c.query('create table ruby (id int primary key auto_increment, v varchar(20), t datetime(6), n decimal(10,2), ok tinyint(1))')
s = c.prepare('insert into ruby (v, t, n, ok) values (?, ?, ?, ?)')
s.execute('ä€', Time.utc(2024, 2, 29, 1, 2, 3), 1.5, true)
s.execute(nil, nil, nil, nil)
same(2, c.last_id, 'last_id')
one = c.prepare('select * from ruby where id = ?')
row = one.execute(1, cast_booleans: true, database_timezone: :utc).first
same([1, 'ä€', '1.5', true], [row['id'], row['v'], row['n'].to_s('F'), row['ok']], 'row')
same([nil] * 4, c.query('select v, t, n, ok from ruby where id = 2', as: :array).first, 'nulls')
# A statement that is collected meanwhile would end the stream.
[s, one].each(&:close)
rows = 0
c.query('select id from a limit 500', stream: true, cache_rows: false).each { rows += 1 }
same(500, rows, 'stream')
c.query('select 1 as a; select 2 as a').first
same(true, c.next_result, 'next_result')
same(2, c.store_result.first['a'], 'second result')
begin
  c.query('select * from nowhere')
rescue Mysql2::Error => e
  same([1146, '42S02'], [e.error_number, e.sql_state], 'error')
end

begin
  require 'active_record'
rescue LoadError
  exit
end
ActiveRecord::Base.establish_connection(adapter: 'mysql2', **settings)
ActiveRecord::Migration.verbose = false
ActiveRecord::Schema.define do
  create_table(:owners, force: :cascade, comment: 'owners') do |t|
    t.string :name, null: false, limit: 40, index: { unique: true }
    t.decimal :money, precision: 10, scale: 2, default: 1.5
    t.json :doc
    t.boolean :ok, default: true
    t.virtual :twice, type: :decimal, as: 'money * 2', stored: true
    t.timestamps precision: 6
  end
  create_table(:pets) { |t| t.references :owner, foreign_key: { on_delete: :cascade }; t.string :name; t.index :name, order: { name: :desc } }
  change_column :pets, :name, :string, limit: 30, null: false, default: 'x'
  rename_column :pets, :name, :title
  add_check_constraint :pets, "title <> ''", name: 'named'
end
class Pet < ActiveRecord::Base; belongs_to :owner, optional: true; end
class Owner < ActiveRecord::Base; has_many :pets; end
owner = Owner.create!(name: 'o', doc: { a: [1] }, pets: [Pet.new(title: 'p'), Pet.new(title: 'q')])
owner.reload
same([2, { 'a' => [1] }, 3.0, true], [owner.pets.count, owner.doc, owner.twice.to_f, owner.ok], 'ActiveRecord')
begin
  Owner.create!(name: 'o')
  abort 'no error'
rescue ActiveRecord::RecordNotUnique
end
begin
  Pet.create!(owner_id: 999, title: 'z')
  abort 'no error'
rescue ActiveRecord::InvalidForeignKey
end
Owner.transaction { Owner.lock.find(owner.id).update!(money: 7); raise ActiveRecord::Rollback }
same(1.5, owner.reload.money.to_f, 'rollback')
dump = StringIO.new
ActiveRecord::SchemaDumper.dump(ActiveRecord::Base.connection, dump)
%w[check_constraint add_foreign_key t.virtual order:].each { |word| abort "no #{word} in the dump" unless dump.string.include?(word) }
