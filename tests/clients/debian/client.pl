# DBD::mysql: prepared on both sides, catalog functions, several results.
use strict;
use warnings;
use DBI;

my $port = $ENV{WEIR_PORT};
sub same { my ($want, $got, $what) = @_; die "$what: expected $want, got $got\n" if $want ne $got }

for my $server (0, 1) {
    my $c = DBI->connect("DBI:mysql:database=shop;host=127.0.0.1;port=$port;mysql_server_prepare=$server", 'root', '',
        { RaiseError => 1, PrintError => 0, mysql_enable_utf8mb4 => 1 });
    $c->do('drop table if exists perl');
    $c->do('create table perl (id int primary key auto_increment, v varchar(20), b blob, n decimal(10,3), unique (v))');
    my $s = $c->prepare('insert into perl (v, b, n) values (?, ?, ?)');
    $s->execute("\x{e4}\x{20ac}", "\0\x{ff}'\\", '1.500');
    same(1, $c->{mysql_insertid}, 'insert id');
    $s->execute(undef, undef, undef);
    my $row = $c->selectrow_arrayref('select v, n from perl where id = ?', undef, 1);
    same("\x{e4}\x{20ac} 1.500", "@$row", 'row');
    same(4, $c->selectrow_array('select length(b) from perl where id = 1'), 'blob');
    my @key = $c->primary_key(undef, 'shop', 'perl');
    same('id', "@key", 'primary key');
    my $columns = $c->column_info(undef, 'shop', 'perl', '%')->fetchall_arrayref({});
    same('id v b n', join(' ', map { $_->{COLUMN_NAME} } @$columns), 'column_info');
    my $foreign = $c->foreign_key_info(undef, 'shop', undef, undef, 'shop', 'b')->fetchall_arrayref({});
    same('a_id', join(' ', map { $_->{FKCOLUMN_NAME} } grep { $_->{PKTABLE_NAME} } @$foreign), 'foreign_key_info');
    same(1, scalar(grep { /perl/ } $c->tables(undef, 'shop', 'perl')), 'tables');
    $c->{AutoCommit} = 0;
    $c->do('delete from perl');
    $c->rollback;
    same(2, $c->selectrow_array('select count(*) from perl'), 'rollback');
    eval { $c->do('select * from nowhere') };
    same(1146, $c->err, 'error');
    $c->disconnect;
}
