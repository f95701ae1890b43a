-- A schema of a film rental shop as sample databases have it: views, triggers, procedures, functions, ENUM, SET, YEAR, geometries in
-- version comments, FULLTEXT and SPATIAL keys, foreign keys in a ring. Read by dumps.sh.
SET NAMES utf8mb4;
SET @OLD_UNIQUE_CHECKS=@@UNIQUE_CHECKS, UNIQUE_CHECKS=0;
SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0;
SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='TRADITIONAL';

DROP SCHEMA IF EXISTS rental;
CREATE SCHEMA rental;
USE rental;

CREATE TABLE city (
  city_id SMALLINT UNSIGNED NOT NULL AUTO_INCREMENT,
  city VARCHAR(50) NOT NULL,
  last_update TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  PRIMARY KEY  (city_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

CREATE TABLE address (
  address_id SMALLINT UNSIGNED NOT NULL AUTO_INCREMENT,
  address VARCHAR(50) NOT NULL,
  address2 VARCHAR(50) DEFAULT NULL,
  city_id SMALLINT UNSIGNED NOT NULL,
  -- A geometry for 5.7.5 and later, limited to an SRID for 8.0.3 and later.
  /*!50705 location GEOMETRY */ /*!80003 SRID 0 */ /*!50705 NOT NULL,*/
  last_update TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  PRIMARY KEY  (address_id),
  KEY idx_fk_city_id (city_id),
  /*!50705 SPATIAL KEY `idx_location` (location),*/
  CONSTRAINT `fk_address_city` FOREIGN KEY (city_id) REFERENCES city (city_id) ON DELETE RESTRICT ON UPDATE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

CREATE TABLE film (
  film_id SMALLINT UNSIGNED NOT NULL AUTO_INCREMENT,
  title VARCHAR(128) NOT NULL,
  description TEXT DEFAULT NULL,
  release_year YEAR DEFAULT NULL,
  rental_rate DECIMAL(4,2) NOT NULL DEFAULT 4.99,
  rating ENUM('G','PG','PG-13','R','NC-17') DEFAULT 'G',
  special_features SET('Trailers','Commentaries','Deleted Scenes','Behind the Scenes') DEFAULT NULL,
  poster BLOB DEFAULT NULL,
  last_update TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  PRIMARY KEY  (film_id),
  KEY idx_title (title)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

CREATE TABLE film_text (
  film_id SMALLINT NOT NULL,
  title VARCHAR(255) NOT NULL,
  description TEXT,
  PRIMARY KEY  (film_id),
  FULLTEXT KEY idx_title_description (title,description)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

DELIMITER ;;
CREATE TRIGGER `ins_film` AFTER INSERT ON `film` FOR EACH ROW BEGIN
    INSERT INTO film_text (film_id, title, description)
        VALUES (new.film_id, new.title, new.description);
  END;;
CREATE TRIGGER `upd_film` AFTER UPDATE ON `film` FOR EACH ROW BEGIN
    IF (old.title != new.title) OR (old.description != new.description) OR (old.film_id != new.film_id)
    THEN
        UPDATE film_text
            SET title=new.title, description=new.description, film_id=new.film_id
        WHERE film_id=old.film_id;
    END IF;
  END;;
CREATE TRIGGER `del_film` AFTER DELETE ON `film` FOR EACH ROW BEGIN
    DELETE FROM film_text WHERE film_id = old.film_id;
  END;;
DELIMITER ;

CREATE TABLE staff (
  staff_id TINYINT UNSIGNED NOT NULL AUTO_INCREMENT,
  first_name VARCHAR(45) NOT NULL,
  picture BLOB DEFAULT NULL,
  store_id TINYINT UNSIGNED NOT NULL,
  active BOOLEAN NOT NULL DEFAULT TRUE,
  password VARCHAR(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  PRIMARY KEY  (staff_id),
  CONSTRAINT fk_staff_store FOREIGN KEY (store_id) REFERENCES store (store_id) ON DELETE RESTRICT ON UPDATE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

CREATE TABLE store (
  store_id TINYINT UNSIGNED NOT NULL AUTO_INCREMENT,
  manager_staff_id TINYINT UNSIGNED NOT NULL,
  address_id SMALLINT UNSIGNED NOT NULL,
  route LINESTRING DEFAULT NULL,
  area POLYGON /*!80003 SRID 4326 */ DEFAULT NULL,
  PRIMARY KEY  (store_id),
  UNIQUE KEY idx_unique_manager (manager_staff_id),
  CONSTRAINT fk_store_staff FOREIGN KEY (manager_staff_id) REFERENCES staff (staff_id) ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT fk_store_address FOREIGN KEY (address_id) REFERENCES address (address_id) ON DELETE RESTRICT ON UPDATE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

CREATE VIEW film_list
AS
SELECT film.film_id AS FID, film.title AS title, film.rental_rate AS price, film.rating AS rating,
  GROUP_CONCAT(film_text.title ORDER BY film_text.title SEPARATOR ', ') AS texts
FROM film LEFT JOIN film_text ON film_text.film_id = film.film_id
GROUP BY film.film_id, film.title, film.rental_rate, film.rating;

CREATE DEFINER=CURRENT_USER SQL SECURITY INVOKER VIEW places
AS
SELECT a.address_id AS id, a.address AS address, c.city AS city,
  /*!50705 ST_X(a.location) AS x, ST_Y(a.location) AS y, */ a.last_update AS last_update
FROM address AS a JOIN city AS c ON a.city_id = c.city_id;

DELIMITER //
CREATE FUNCTION distance_between(p SMALLINT, q SMALLINT) RETURNS DOUBLE
    READS SQL DATA
BEGIN
  DECLARE a, b POINT;
  SELECT location INTO a FROM address WHERE address_id = p;
  SELECT location INTO b FROM address WHERE address_id = q;
  RETURN ROUND(ST_Distance(a, b), 6);
END //
CREATE PROCEDURE films_rated(IN wanted VARCHAR(10), OUT film_count INT)
    READS SQL DATA
    COMMENT 'Films of a rating'
BEGIN
  SELECT film_id FROM film WHERE rating = wanted;
  SELECT COUNT(*) FROM film WHERE rating = wanted INTO film_count;
END //
DELIMITER ;

SET AUTOCOMMIT=0;
INSERT INTO city VALUES (1,'Lethbridge','2006-02-15 04:45:25'),(2,'A Coruña (La Coruña)','2006-02-15 04:45:25');
INSERT INTO `address` VALUES (1,'47 Drive',NULL,1,/*!50705 0x0000000001010000003E0A325D63345CC0761FDB8D99D94840,*/'2014-09-25 22:30:27'),
(2,'28 Boulevard','',2,/*!50705 0x0000000001010000008E10D4DF812463404EE08C5022A23BC0,*/'2014-09-25 22:30:09');
COMMIT;
INSERT INTO film (film_id, title, description, release_year, rating, special_features, poster, last_update) VALUES
(1,'ACADEMY DINOSAUR','A Epic Drama; \'quoted\' \"twice\"',2006,'PG','Deleted Scenes,Behind the Scenes',x'00ff0a0d1a275c22','2006-02-15 05:03:42'),
(2,'ACE GOLDFINGER',NULL,2006,'G','Trailers,Deleted Scenes',NULL,'2006-02-15 05:03:42');
INSERT INTO staff VALUES (1,'Mike',x'89504e470d0a1a0a',1,1,'8cb2237d0679ca88db6464eac60da96345513964'),(2,'Jon',NULL,2,1,NULL);
INSERT INTO store VALUES (1,1,1,ST_GeomFromText('LINESTRING(0 0,1 1)'),ST_GeomFromText('POLYGON((0 0,0 1,1 1,0 0))',4326)),(2,2,2,NULL,NULL);
COMMIT;
SET AUTOCOMMIT=1;

SET SQL_MODE=@OLD_SQL_MODE;
SET FOREIGN_KEY_CHECKS=@OLD_FOREIGN_KEY_CHECKS;
SET UNIQUE_CHECKS=@OLD_UNIQUE_CHECKS;
