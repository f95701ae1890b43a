//! Tables of other engines in scripts that name them: what is made of them in which mode, and what `disabled_storage_engines` refuses.
use crate::common::*;
use weir_sql::vars::{Var, VarValue};

/// MySQL has these engines, so that NO_ENGINE_SUBSTITUTION lets their names pass there.
#[test]
fn engines_that_every_mysql_has_pass_in_every_mode() {
    with_server(1, |server| async move {
        let mut c = server.client();
        for mode in ["", "TRADITIONAL", "NO_ENGINE_SUBSTITUTION", "STRICT_ALL_TABLES"] {
            c.rows(&format!("set sql_mode = '{mode}'")).await;
            for engine in
                ["MyISAM", "MEMORY", "heap", "CSV", "ARCHIVE", "MERGE", "mrg_myisam", "BLACKHOLE"]
            {
                let create = format!("create table t (a int) engine={engine}");
                let alter = format!("alter table t engine={engine}");
                c.check(&[
                    (create.as_str(), "ok 0"),
                    ("show warnings", "Warning|1266|Using storage engine InnoDB for table 't'"),
                    (alter.as_str(), "ok 0"),
                    ("drop table t", "ok 0"),
                ])
                .await;
            }
        }
        c.check(&[
            ("set sql_mode = 'traditional'", "ok 0"),
            ("create table t (a int) engine=federated", "E1286 Unknown storage engine 'federated'"),
            ("create table t (a int) engine=nope", "E1286 Unknown storage engine 'nope'"),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn disabled_engines_are_refused() {
    with_server(1, |server| async move {
        server.inst.vars.put(Var::disabled_storage_engines, VarValue::Str("myisam, HEAP".into()));
        let mut c = server.client();
        let disabled = "E3161 Storage engine MyISAM is disabled (Table creation is disallowed).";
        let memory = "E3161 Storage engine MEMORY is disabled (Table creation is disallowed).";
        c.check(&[
            ("select @@disabled_storage_engines", "myisam, HEAP"),
            ("create table t (a int) engine=MyISAM", disabled),
            ("create table t (a int) engine=memory", memory),
            ("create temporary table t (a int) engine=heap", memory),
            ("create table t (a int)", "ok 0"),
            ("alter table t engine=myisam", disabled),
            ("set sql_mode = ''", "ok 0"),
            ("create table u (a int) engine=myisam", disabled),
            ("create table u (a int) engine=csv", "ok 0"),
            ("create table v (a int) engine=innodb", "ok 0"),
            ("set global disabled_storage_engines = ''", "E1238"),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}

/// The head of a script like Sakila's, which sets TRADITIONAL and keeps texts of films in a table of MyISAM for their FULLTEXT index.
const TABLES: &[&str] = &[
    "set @old_unique_checks = @@unique_checks, unique_checks = 0",
    "set @old_foreign_key_checks = @@foreign_key_checks, foreign_key_checks = 0",
    "set @old_sql_mode = @@sql_mode, sql_mode = 'TRADITIONAL'",
    "create table category (category_id tinyint unsigned not null auto_increment, name varchar(25) not null,
        last_update timestamp not null default current_timestamp on update current_timestamp,
        primary key (category_id)) engine=InnoDB default charset=utf8mb4",
    "create table actor (actor_id smallint unsigned not null auto_increment, first_name varchar(45) not null,
        last_name varchar(45) not null, primary key (actor_id), key idx_actor_last_name (last_name))
        engine=InnoDB default charset=utf8mb4",
    "create table film (film_id smallint unsigned not null auto_increment, title varchar(128) not null, description text default null,
        release_year year default null, rental_duration tinyint unsigned not null default 3,
        rental_rate decimal(4,2) not null default 4.99, length smallint unsigned default null,
        rating enum('G','PG','PG-13','R','NC-17') default 'G',
        special_features set('Trailers','Commentaries','Deleted Scenes','Behind the Scenes') default null,
        primary key (film_id), key idx_title (title)) engine=InnoDB default charset=utf8mb4",
    "create table film_actor (actor_id smallint unsigned not null, film_id smallint unsigned not null,
        primary key (actor_id, film_id), key idx_fk_film_id (film_id),
        constraint fk_film_actor_actor foreign key (actor_id) references actor (actor_id) on delete restrict on update cascade,
        constraint fk_film_actor_film foreign key (film_id) references film (film_id) on delete restrict on update cascade)
        engine=InnoDB default charset=utf8mb4",
    "create table film_category (film_id smallint unsigned not null, category_id tinyint unsigned not null,
        primary key (film_id, category_id),
        constraint fk_film_category_film foreign key (film_id) references film (film_id) on delete restrict on update cascade)
        engine=InnoDB default charset=utf8mb4",
    "create table film_text (film_id smallint not null, title varchar(255) not null, description text, primary key (film_id),
        fulltext key idx_title_description (title, description)) engine=MyISAM default charset=utf8mb4",
    "create table inventory (inventory_id mediumint unsigned not null auto_increment, film_id smallint unsigned not null,
        store_id tinyint unsigned not null, primary key (inventory_id), key idx_store_id_film_id (store_id, film_id))
        engine=InnoDB default charset=utf8mb4",
    "create table rental (rental_id int not null auto_increment, rental_date datetime not null, inventory_id mediumint unsigned not null,
        customer_id smallint unsigned not null, return_date datetime default null, primary key (rental_id),
        unique key (rental_date, inventory_id, customer_id)) engine=InnoDB default charset=utf8mb4",
    "create table payment (payment_id smallint unsigned not null auto_increment, customer_id smallint unsigned not null,
        amount decimal(5,2) not null, payment_date datetime not null, primary key (payment_id)) engine=InnoDB default charset=utf8mb4",
    "create table customer (customer_id smallint unsigned not null auto_increment, first_name varchar(45) not null,
        last_name varchar(45) not null, create_date datetime not null, primary key (customer_id)) engine=InnoDB default charset=utf8mb4",
];

/// Triggers that keep the copy of the texts, and one that fills a column in.
const TRIGGERS: &[&str] = &[
    "create trigger ins_film after insert on film for each row begin
        insert into film_text (film_id, title, description) values (new.film_id, new.title, new.description);
     end",
    "create trigger upd_film after update on film for each row begin
        if (old.title != new.title) or (old.description != new.description) or (old.film_id != new.film_id) then
            update film_text set title = new.title, description = new.description, film_id = new.film_id where film_id = old.film_id;
        end if;
     end",
    "create trigger del_film after delete on film for each row begin delete from film_text where film_id = old.film_id; end",
    "create trigger customer_create_date before insert on customer for each row set new.create_date = now()",
];

const VIEWS: &[&str] = &[
    "create view nicer_but_slower_film_list as
     select film.film_id as fid, film.title as title, film.description as description, category.name as category,
        film.rental_rate as price, film.length as length, film.rating as rating,
        group_concat(concat(concat(ucase(substr(actor.first_name, 1, 1)), lcase(substr(actor.first_name, 2, length(actor.first_name))), _utf8mb4' ',
            concat(ucase(substr(actor.last_name, 1, 1)), lcase(substr(actor.last_name, 2, length(actor.last_name))))))
            separator ', ') as actors
     from film left join film_category on film_category.film_id = film.film_id
        left join category on category.category_id = film_category.category_id
        left join film_actor on film.film_id = film_actor.film_id
        left join actor on film_actor.actor_id = actor.actor_id
     group by film.film_id, category.name",
    "create definer=current_user sql security invoker view actor_info as
     select a.actor_id, a.first_name, a.last_name,
        group_concat(distinct concat(c.name, ': ',
            (select group_concat(f.title order by f.title separator ', ') from film f
             inner join film_category fc on f.film_id = fc.film_id inner join film_actor fa on f.film_id = fa.film_id
             where fc.category_id = c.category_id and fa.actor_id = a.actor_id))
            order by c.name separator '; ') as film_info
     from actor a left join film_actor fa on a.actor_id = fa.actor_id left join film_category fc on fa.film_id = fc.film_id
        left join category c on fc.category_id = c.category_id
     group by a.actor_id, a.first_name, a.last_name",
];

const ROUTINES: &[&str] = &[
    "create procedure rewards_report (in min_monthly_purchases tinyint unsigned, in min_dollar_amount_purchased decimal(10,2),
        out count_rewardees int)
     language sql not deterministic reads sql data sql security definer comment 'Provides a customizable report on best customers'
     proc: begin
        declare last_month_start date;
        declare last_month_end date;
        if min_monthly_purchases = 0 then
            select 'Minimum monthly purchases parameter must be > 0';
            leave proc;
        end if;
        if min_dollar_amount_purchased = 0.00 then
            select 'Minimum monthly dollar amount purchased parameter must be > $0.00';
            leave proc;
        end if;
        set last_month_start = date_sub('2005-08-15', interval 1 month);
        set last_month_start = str_to_date(concat(year(last_month_start), '-', month(last_month_start), '-01'), '%Y-%m-%d');
        set last_month_end = last_day(last_month_start);
        create temporary table tmpCustomer (customer_id smallint unsigned not null primary key);
        insert into tmpCustomer (customer_id)
        select p.customer_id from payment as p
        where date(p.payment_date) between last_month_start and last_month_end
        group by customer_id having sum(p.amount) > min_dollar_amount_purchased and count(customer_id) > min_monthly_purchases;
        select count(*) from tmpCustomer into count_rewardees;
        select c.customer_id, c.last_name from tmpCustomer as t inner join customer as c on t.customer_id = c.customer_id;
        drop table tmpCustomer;
     end",
    "create function inventory_in_stock(p_inventory_id int) returns boolean reads sql data
     begin
        declare v_rentals int;
        declare v_out int;
        select count(*) into v_rentals from rental where inventory_id = p_inventory_id;
        if v_rentals = 0 then
            return true;
        end if;
        select count(rental_id) into v_out from inventory left join rental using (inventory_id)
        where inventory.inventory_id = p_inventory_id and rental.return_date is null;
        if v_out > 0 then
            return false;
        else
            return true;
        end if;
     end",
    "create function inventory_held_by_customer(p_inventory_id int) returns int reads sql data
     begin
        declare v_customer_id int;
        declare exit handler for not found return null;
        select customer_id into v_customer_id from rental where return_date is null and inventory_id = p_inventory_id;
        return v_customer_id;
     end",
    "create procedure film_in_stock(in p_film_id int, in p_store_id int, out p_film_count int) reads sql data
     begin
        select inventory_id from inventory
        where film_id = p_film_id and store_id = p_store_id and inventory_in_stock(inventory_id);
        select count(*) from inventory
        where film_id = p_film_id and store_id = p_store_id and inventory_in_stock(inventory_id) into p_film_count;
     end",
];

const ROWS: &[&str] = &[
    "insert into category (category_id, name) values (1, 'Documentary')",
    "insert into actor (actor_id, first_name, last_name) values (1, 'PENELOPE', 'GUINESS'), (2, 'NICK', 'WAHLBERG')",
    "insert into film (film_id, title, description, release_year, length, rating, special_features) values
        (1, 'ACADEMY DINOSAUR', 'An epic drama of a feminist', 2006, 86, 'PG', 'Deleted Scenes,Behind the Scenes'),
        (2, 'ACE GOLDFINGER', 'An astounding epistle', 2006, 48, 'G', 'Trailers')",
    "insert into film_actor values (1, 1), (2, 1)",
    "insert into film_category values (1, 1)",
    "insert into inventory values (1, 1, 1), (2, 1, 1)",
    "insert into rental values (1, '2005-07-08 19:03:15', 1, 7, null)",
    "insert into customer (customer_id, first_name, last_name, create_date) values (7, 'MARIA', 'MILLER', '2001-01-01')",
    "insert into payment values (1, 7, 9.99, '2005-07-09 10:00:00'), (2, 7, 5.99, '2005-07-10 10:00:00')",
    "set sql_mode = @old_sql_mode, foreign_key_checks = @old_foreign_key_checks, unique_checks = @old_unique_checks",
];

#[test]
fn a_sample_database_loads_under_its_own_mode() {
    with_server(1, |server| async move {
        let mut c = server.client();
        for part in [TABLES, TRIGGERS, VIEWS, ROUTINES, ROWS] {
            c.all(part).await;
        }
        c.check(&[
            ("select film_id, title from film_text order by film_id", "1|ACADEMY DINOSAUR; 2|ACE GOLDFINGER"),
            (
                "select film_id from film_text where match (title, description) against ('epistle')",
                "2",
            ),
            ("update film set title = 'ACE' where film_id = 2", "ok 1"),
            ("select title from film_text where film_id = 2", "ACE"),
            ("delete from film where film_id = 2", "ok 1"),
            ("select count(*) from film_text", "1"),
            (
                "select fid, category, char_length(actors), actors like '%Penelope Guiness%' from nicer_but_slower_film_list",
                "1|Documentary|31|1",
            ),
            (
                "select last_name, film_info from actor_info order by actor_id",
                "GUINESS|Documentary: ACADEMY DINOSAUR; WAHLBERG|Documentary: ACADEMY DINOSAUR",
            ),
            ("select inventory_in_stock(1), inventory_in_stock(2)", "0|1"),
            ("select inventory_held_by_customer(1), inventory_held_by_customer(2)", "7|NULL"),
            ("call film_in_stock(1, 1, @n)", "2"),
            ("select @n", "1"),
            ("call rewards_report(1, 10, @n)", "7|MILLER"),
            ("select @n", "1"),
            ("select engine from information_schema.tables where table_name = 'film_text'", "InnoDB"),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}

/// What applications rely on in tables of MyISAM: the answers are MySQL 9.7's for such tables.
#[test]
fn numbers_count_within_the_groups_of_a_key() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(&[
            (
                "create table m (g int not null, id int auto_increment, v int, \
                 primary key (g, id)) engine=myisam",
                "ok 0",
            ),
            ("insert into m (g, v) values (1,1),(2,2),(1,3),(2,4),(1,5)", "ok 5"),
            ("select * from m order by v", "1|1|1; 2|1|2; 1|2|3; 2|2|4; 1|3|5"),
            ("select last_insert_id()", "1"),
            ("insert into m (g, id, v) values (1,10,6),(1,null,7),(1,0,8)", "ok 3"),
            ("select * from m where v > 5", "1|10|6; 1|11|7; 1|12|8"),
            ("select last_insert_id()", "11"),
            ("insert into m (g, v) select g, v + 100 from m where v < 3", "ok 2"),
            ("select * from m where v > 100", "1|13|101; 2|3|102"),
            ("delete from m where g = 1 and id = 13", "ok 1"),
            ("insert into m (g, v) values (1, 99)", "ok 1"),
            ("select id from m where v = 99", "13"),
            // A number that was not used is not one of another group.
            ("insert ignore into m (g, id, v) values (2, 3, 0), (3, null, 0)", "ok 1"),
            ("select id from m where g = 3", "1"),
            ("update m set id = 40 where g = 3", "ok 1"),
            ("replace into m (g, v) values (3, 1)", "ok 1"),
            ("select id from m where g = 3", "40; 41"),
            ("set insert_id = 50", "ok 0"),
            ("insert into m (g, v) values (4,1),(4,2)", "ok 2"),
            ("select id from m where g = 4", "50; 51"),
            ("set auto_increment_increment = 10, auto_increment_offset = 3", "ok 0"),
            ("insert into m (g, v) values (5,1),(5,2),(3,1)", "ok 3"),
            ("select g, id from m where g in (3, 5)", "3|40; 3|41; 3|43; 5|3; 5|13"),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn numbers_within_groups_have_their_limits() {
    with_server(1, |server| async move {
        let mut c = server.client();
        let one = "E1075 Incorrect table definition; there can be only one auto column and it must be \
                   defined as a key";
        c.check(&[
            ("create table t (g int, id int auto_increment, primary key (g, id))", one),
            ("create table t (g int, id int auto_increment, primary key (g, id)) engine=memory", one),
            ("create table t (g int, id tinyint auto_increment, key (g, id)) engine=myisam", "ok 0"),
            // NULL is a group, too.
            ("insert into t values (null, null), (null, null), (1, null), (1, 127)", "ok 4"),
            ("select * from t order by g, id", "NULL|1; NULL|2; 1|1; 1|127"),
            ("insert into t (g) values (1)", "E1264 Out of range value for column 'id' at row 1"),
            ("insert into t (g) values (2)", "ok 1"),
            ("alter table t engine=innodb", one),
            ("alter table t drop key g", one),
            ("alter table t add column v int, engine=myisam", "ok 0"),
            ("insert into t (g) values (2)", "ok 1"),
            ("select id from t where g = 2", "1; 2"),
            ("create table u like t", "ok 0"),
            ("insert into u (g) values (7), (7)", "ok 2"),
            ("select id from u", "1; 2"),
            // A key that the column leads has the table's counter.
            ("alter table u add key (id)", "ok 0"),
            ("insert into u (g) values (8)", "ok 1"),
            ("select id from u where g = 8", "3"),
            ("alter table u drop key id", "ok 0"),
            ("insert into u (g) values (7)", "ok 1"),
            ("insert into u (g) values (9)", "ok 1"),
            ("select g, id from u order by g, id", "7|1; 7|2; 7|3; 8|3; 9|1"),
            ("create table w (g varchar(20), id int auto_increment, key (g(3), id)) engine=aria", "ok 0"),
            ("insert into w (g) values ('abcd'), ('ABCe'), ('x')", "ok 3"),
            ("select * from w order by g, id", "abcd|1; ABCe|2; x|1"),
            ("create temporary table x (g int, id int auto_increment, key (g, id)) engine=myisam", "ok 0"),
            ("insert into x (g) values (1), (2), (1)", "ok 3"),
            ("select * from x order by g, id", "1|1; 1|2; 2|1"),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}

/// Sessions that number the rows of one group wait for each other, even where the group is empty.
#[test]
fn no_number_of_a_group_is_given_twice() {
    with_server(1, |server| async move {
        let (mut a, mut b) = (server.client(), server.client());
        a.check(&[
            ("create table t (g int, id int auto_increment, key (g, id)) engine=myisam", "ok 0"),
            ("begin", "ok 0"),
            ("insert into t (g) values (1)", "ok 1"),
        ])
        .await;
        b.check(&[
            ("set innodb_lock_wait_timeout = 1", "ok 0"),
            ("insert into t (g) values (1)", "E1205"),
        ])
        .await;
        a.check(&[("commit", "ok 0")]).await;
        b.check(&[("insert into t (g) values (1)", "ok 1"), ("select * from t", "1|1; 1|2")]).await;
        a.0.close().await;
        b.0.close().await;
        drop(server);
    });
}

#[test]
fn searches_in_boolean_mode_need_no_key() {
    with_server(1, |server| async move {
        let mut c = server.client();
        let no_key = "E1191 Can't find FULLTEXT index matching the column list";
        let like = "match (a) against ('+mysql database' in boolean mode)";
        c.check(&[
            (
                "create table f (id int primary key, a varchar(99), b text, n int) engine=myisam",
                "ok 0",
            ),
            (
                "insert into f values (1, 'mysql database', 'quick brown foxes', 100), \
                 (2, 'database systems', 'mysql', 2000), (3, 'O''Reilly', 'brownish', 3), \
                 (4, null, null, null)",
                "ok 4",
            ),
            (
                "select id, match (a, b) against ('+mysql database' in boolean mode) from f",
                "1|1.3333333730697632; 2|1.3333333730697632; 3|0; 4|0",
            ),
            ("select id from f where match (a, n) against ('2000' in boolean mode)", "2"),
            ("select id from f where match (b) against ('brown*' in boolean mode)", "1; 3"),
            ("select id from f where match (a) against ('reilly' in boolean mode)", "3"),
            ("select id from f where match (a) against (null in boolean mode)", ""),
            ("select id from f where match (a) against ('mysql')", no_key),
            ("select id from f where match (a) against ('mysql' with query expansion)", no_key),
            ("select id from f where match (a) against (a in boolean mode)", "E1210"),
            ("set @x = 'systems'", "ok 0"),
            (
                "prepare s from 'select id from f where match (a) against (? in boolean mode)'",
                "ok 0",
            ),
            ("execute s using @x", "2"),
            ("update f set n = 0 where match (a) against ('systems' in boolean mode)", "ok 1"),
            (&format!("create view v as select id, {like} r from f"), "ok 0"),
            ("select id, r > 0 from v", "1|1; 2|0; 3|0; 4|0"),
            ("create table l (a varchar(9) charset latin1, b varchar(9)) engine=myisam", "ok 0"),
            ("select match (a, b) against ('x' in boolean mode) from l", "E1267"),
            ("alter table f engine=innodb", "ok 0"),
            ("select id from f where match (a) against ('mysql' in boolean mode)", no_key),
            ("alter table f engine=myisam", "ok 0"),
            ("select id from f where match (a) against ('mysql' in boolean mode)", "1"),
            ("create table i (a text)", "ok 0"),
            ("select * from i where match (a) against ('mysql' in boolean mode)", no_key),
        ])
        .await;
        assert!(!c.rows("show create table f").await.contains("MyISAM"));
        c.0.close().await;
        drop(server);
    });
}
