-- Tables of the join orders, in the shape of a database of films.
CREATE TABLE kind_type (id INT PRIMARY KEY, kind VARCHAR(15));
CREATE TABLE title (id INT PRIMARY KEY, title VARCHAR(60), kind_id INT NOT NULL, production_year INT, season INT, KEY(kind_id));
CREATE TABLE company_name (id INT PRIMARY KEY, name VARCHAR(60), country_code VARCHAR(10));
CREATE TABLE company_type (id INT PRIMARY KEY, kind VARCHAR(32));
CREATE TABLE movie_companies (id INT PRIMARY KEY, movie_id INT NOT NULL, company_id INT NOT NULL, company_type_id INT NOT NULL, note VARCHAR(40), KEY(movie_id), KEY(company_id), KEY(company_type_id));
CREATE TABLE keyword (id INT PRIMARY KEY, keyword VARCHAR(60));
CREATE TABLE movie_keyword (id INT PRIMARY KEY, movie_id INT NOT NULL, keyword_id INT NOT NULL, KEY(movie_id), KEY(keyword_id));
CREATE TABLE info_type (id INT PRIMARY KEY, info VARCHAR(32));
CREATE TABLE movie_info (id INT PRIMARY KEY, movie_id INT NOT NULL, info_type_id INT NOT NULL, info VARCHAR(40), KEY(movie_id), KEY(info_type_id));
CREATE TABLE movie_info_idx (id INT PRIMARY KEY, movie_id INT NOT NULL, info_type_id INT NOT NULL, info VARCHAR(20), KEY(movie_id), KEY(info_type_id));
CREATE TABLE name (id INT PRIMARY KEY, name VARCHAR(40), gender CHAR(1), name_pcode VARCHAR(5));
CREATE TABLE role_type (id INT PRIMARY KEY, role VARCHAR(32));
CREATE TABLE cast_info (id INT PRIMARY KEY, person_id INT NOT NULL, movie_id INT NOT NULL, role_id INT NOT NULL, note VARCHAR(40), KEY(person_id), KEY(movie_id), KEY(role_id));
CREATE TABLE aka_name (id INT PRIMARY KEY, person_id INT NOT NULL, name VARCHAR(40), KEY(person_id));
