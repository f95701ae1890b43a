<?php
// mysqli and PDO: prepared statements with cursors and without, several results, errors.
mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
$port = (int) getenv('WEIR_PORT');
function same($want, $got, string $what): void {
    if ($want !== $got) {
        fwrite(STDERR, "$what: expected " . var_export($want, true) . ', got ' . var_export($got, true) . "\n");
        exit(1);
    }
}
$c = new mysqli('127.0.0.1', 'root', '', 'shop', $port);
$c->set_charset('utf8mb4');
$c->query("create table php (id int unsigned primary key auto_increment, v varchar(20), d datetime(3), n decimal(20,5), b bit(9), f double)");
$s = $c->prepare('insert into php (v, d, n, b, f) values (?, ?, ?, ?, ?)');
foreach ([['ä€', '2024-02-29 01:02:03.456', '12345678901234.56789', 257, 0.1], [null, null, null, null, null]] as $row) {
    $s->bind_param('sssid', ...$row);
    $s->execute();
}
same(2, $s->insert_id, 'insert_id');
same(['1', 'ä€', '2024-02-29 01:02:03.456', '12345678901234.56789', '257', '0.1'], $c->query('select * from php')->fetch_row(), 'text row');
same([1, 'ä€', '2024-02-29 01:02:03.456', '12345678901234.56789', 257, 0.1], $c->execute_query('select * from php where id = ?', [1])->fetch_row(), 'binary row');
$s = $c->prepare('select id from php where id < ? order by id');
$s->attr_set(MYSQLI_STMT_ATTR_CURSOR_TYPE, MYSQLI_CURSOR_TYPE_READ_ONLY);
$below = 9;
$s->bind_param('i', $below);
$s->execute();
$s->bind_result($id);
same([true, 1], [$s->fetch(), $id], 'cursor');
same('7', $c->query('select 7')->fetch_row()[0], 'a query beside a cursor');
same([true, 2, null], [$s->fetch(), $id, $s->fetch()], 'cursor');
$c->multi_query("select 1; -- nothing\n select 2;");
same(true, $c->more_results(), 'more_results');
$c->store_result();
$c->next_result();
same('2', $c->store_result()->fetch_row()[0], 'second result');
$p = new PDO("mysql:host=127.0.0.1;port=$port;dbname=shop;charset=utf8mb4", 'root', '', [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
foreach ([true, false] as $emulated) {
    $p->setAttribute(PDO::ATTR_EMULATE_PREPARES, $emulated);
    $q = $p->prepare('select v from php where id = :id or v = :v limit 1');
    $q->execute(['id' => 1, 'v' => "it's"]);
    same('ä€', $q->fetchColumn(), 'PDO');
    $p->beginTransaction();
    $p->exec('delete from php');
    $p->rollBack();
    same('2', (string) $p->query('select count(*) from php')->fetchColumn(), 'rollBack');
    $meta = $p->query('select id, v from php')->getColumnMeta(0);
    same(['LONG', 'php', ['not_null', 'primary_key']], [$meta['native_type'], $meta['table'], array_values(array_intersect($meta['flags'], ['not_null', 'primary_key']))], 'getColumnMeta');
}
$p->exec("set sql_mode = 'no_backslash_escapes'");
same("'a\\''b'", $p->quote("a\\'b"), 'quote');
try {
    $p->query('select * from nowhere');
    exit(1);
} catch (PDOException $e) {
    same(['42S02', 1146], [$e->errorInfo[0], $e->errorInfo[1]], 'errorInfo');
}
