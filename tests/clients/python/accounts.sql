create user native identified with mysql_native_password by 's3cret-~';
create user sha2 identified with caching_sha2_password by 's3cret-~';
create user blank identified with caching_sha2_password by '';
grant all on *.* to native, sha2, blank;
