-- The tables of a wiki, as MediaWiki documents them (binary texts, dates of 14 digits, ENUM, FULLTEXT), with a few rows.
SET sql_mode = '';

CREATE TABLE actor (
  actor_id BIGINT UNSIGNED AUTO_INCREMENT NOT NULL,
  actor_user INT UNSIGNED DEFAULT NULL,
  actor_name VARBINARY(255) NOT NULL,
  UNIQUE INDEX actor_user (actor_user),
  UNIQUE INDEX actor_name (actor_name),
  PRIMARY KEY(actor_id)
) ENGINE=InnoDB, DEFAULT CHARSET=binary;
CREATE TABLE user (
  user_id INT UNSIGNED AUTO_INCREMENT NOT NULL,
  user_name VARBINARY(255) DEFAULT '' NOT NULL,
  user_real_name VARBINARY(255) DEFAULT '' NOT NULL,
  user_password TINYBLOB NOT NULL,
  user_newpassword TINYBLOB NOT NULL,
  user_newpass_time BINARY(14) DEFAULT NULL,
  user_email TINYTEXT NOT NULL,
  user_touched BINARY(14) NOT NULL,
  user_token BINARY(32) DEFAULT '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' NOT NULL,
  user_email_authenticated BINARY(14) DEFAULT NULL,
  user_registration BINARY(14) DEFAULT NULL,
  user_editcount INT UNSIGNED DEFAULT NULL,
  user_password_expires VARBINARY(14) DEFAULT NULL,
  user_is_temp TINYINT(1) DEFAULT 0 NOT NULL,
  UNIQUE INDEX user_name (user_name),
  INDEX user_email (user_email(50)),
  PRIMARY KEY(user_id)
) ENGINE=InnoDB, DEFAULT CHARSET=binary;
CREATE TABLE user_groups (
  ug_user INT UNSIGNED DEFAULT 0 NOT NULL,
  ug_group VARBINARY(255) DEFAULT '' NOT NULL,
  ug_expiry VARBINARY(14) DEFAULT NULL,
  INDEX ug_group (ug_group),
  INDEX ug_expiry (ug_expiry),
  PRIMARY KEY(ug_user, ug_group)
) ENGINE=InnoDB, DEFAULT CHARSET=binary;
CREATE TABLE page (
  page_id INT UNSIGNED AUTO_INCREMENT NOT NULL,
  page_namespace INT NOT NULL,
  page_title VARBINARY(255) NOT NULL,
  page_is_redirect TINYINT UNSIGNED DEFAULT 0 NOT NULL,
  page_is_new TINYINT UNSIGNED DEFAULT 0 NOT NULL,
  page_random DOUBLE PRECISION UNSIGNED NOT NULL,
  page_touched BINARY(14) NOT NULL,
  page_links_updated VARBINARY(14) DEFAULT NULL,
  page_latest INT UNSIGNED NOT NULL,
  page_len INT UNSIGNED NOT NULL,
  page_content_model VARBINARY(32) DEFAULT NULL,
  page_lang VARBINARY(35) DEFAULT NULL,
  UNIQUE INDEX page_name_title (page_namespace, page_title),
  INDEX page_random (page_random),
  INDEX page_len (page_len),
  INDEX page_redirect_namespace_len (page_is_redirect, page_namespace, page_len),
  PRIMARY KEY(page_id)
) ENGINE=InnoDB, DEFAULT CHARSET=binary;
CREATE TABLE comment (
  comment_id BIGINT UNSIGNED AUTO_INCREMENT NOT NULL,
  comment_hash INT NOT NULL,
  comment_text BLOB NOT NULL,
  comment_data BLOB DEFAULT NULL,
  INDEX comment_hash (comment_hash),
  PRIMARY KEY(comment_id)
) ENGINE=InnoDB, DEFAULT CHARSET=binary;
CREATE TABLE revision (
  rev_id BIGINT UNSIGNED AUTO_INCREMENT NOT NULL,
  rev_page INT UNSIGNED NOT NULL,
  rev_comment_id BIGINT UNSIGNED DEFAULT 0 NOT NULL,
  rev_actor BIGINT UNSIGNED DEFAULT 0 NOT NULL,
  rev_timestamp BINARY(14) NOT NULL,
  rev_minor_edit TINYINT UNSIGNED DEFAULT 0 NOT NULL,
  rev_deleted TINYINT UNSIGNED DEFAULT 0 NOT NULL,
  rev_len INT UNSIGNED DEFAULT NULL,
  rev_parent_id BIGINT UNSIGNED DEFAULT NULL,
  rev_sha1 VARBINARY(32) DEFAULT '' NOT NULL,
  INDEX rev_timestamp (rev_timestamp),
  INDEX rev_page_timestamp (rev_page, rev_timestamp),
  INDEX rev_actor_timestamp (rev_actor, rev_timestamp, rev_id),
  INDEX rev_page_actor_timestamp (rev_page, rev_actor, rev_timestamp),
  PRIMARY KEY(rev_id)
) ENGINE=InnoDB, DEFAULT CHARSET=binary;
CREATE TABLE slots (
  slot_revision_id BIGINT UNSIGNED NOT NULL,
  slot_role_id SMALLINT UNSIGNED NOT NULL,
  slot_content_id BIGINT UNSIGNED NOT NULL,
  slot_origin BIGINT UNSIGNED NOT NULL,
  INDEX slot_revision_origin_role (slot_revision_id, slot_origin, slot_role_id),
  PRIMARY KEY(slot_revision_id, slot_role_id)
) ENGINE=InnoDB, DEFAULT CHARSET=binary;
CREATE TABLE content (
  content_id BIGINT UNSIGNED AUTO_INCREMENT NOT NULL,
  content_size INT UNSIGNED NOT NULL,
  content_sha1 VARBINARY(32) NOT NULL,
  content_model SMALLINT UNSIGNED NOT NULL,
  content_address VARBINARY(255) NOT NULL,
  PRIMARY KEY(content_id)
) ENGINE=InnoDB, DEFAULT CHARSET=binary;
CREATE TABLE text (
  old_id INT UNSIGNED AUTO_INCREMENT NOT NULL,
  old_text MEDIUMBLOB NOT NULL,
  old_flags TINYBLOB NOT NULL,
  PRIMARY KEY(old_id)
) ENGINE=InnoDB, DEFAULT CHARSET=binary;
CREATE TABLE linktarget (
  lt_id BIGINT UNSIGNED AUTO_INCREMENT NOT NULL,
  lt_namespace INT NOT NULL,
  lt_title VARBINARY(255) NOT NULL,
  UNIQUE INDEX lt_namespace_title (lt_namespace, lt_title),
  PRIMARY KEY(lt_id)
) ENGINE=InnoDB, DEFAULT CHARSET=binary;
CREATE TABLE pagelinks (
  pl_from INT UNSIGNED DEFAULT 0 NOT NULL,
  pl_from_namespace INT DEFAULT 0 NOT NULL,
  pl_target_id BIGINT UNSIGNED NOT NULL,
  INDEX pl_target_id (pl_target_id, pl_from),
  INDEX pl_backlinks_namespace_target_id (pl_from_namespace, pl_target_id, pl_from),
  PRIMARY KEY(pl_from, pl_target_id)
) ENGINE=InnoDB, DEFAULT CHARSET=binary;
CREATE TABLE categorylinks (
  cl_from INT UNSIGNED DEFAULT 0 NOT NULL,
  cl_to VARBINARY(255) DEFAULT '' NOT NULL,
  cl_sortkey VARBINARY(230) DEFAULT '' NOT NULL,
  cl_sortkey_prefix VARBINARY(255) DEFAULT '' NOT NULL,
  cl_timestamp TIMESTAMP NOT NULL,
  cl_collation VARBINARY(32) DEFAULT '' NOT NULL,
  cl_type ENUM('page', 'subcat', 'file') DEFAULT 'page' NOT NULL,
  INDEX cl_sortkey (cl_to, cl_type, cl_sortkey, cl_from),
  INDEX cl_timestamp (cl_to, cl_timestamp),
  PRIMARY KEY(cl_from, cl_to)
) ENGINE=InnoDB, DEFAULT CHARSET=binary;
CREATE TABLE image (
  img_name VARBINARY(255) DEFAULT '' NOT NULL,
  img_size BIGINT UNSIGNED DEFAULT 0 NOT NULL,
  img_width INT DEFAULT 0 NOT NULL,
  img_height INT DEFAULT 0 NOT NULL,
  img_metadata MEDIUMBLOB NOT NULL,
  img_bits INT DEFAULT 0 NOT NULL,
  img_media_type ENUM('UNKNOWN', 'BITMAP', 'DRAWING', 'AUDIO', 'VIDEO', 'MULTIMEDIA', 'OFFICE', 'TEXT', 'EXECUTABLE', 'ARCHIVE', '3D') DEFAULT NULL,
  img_major_mime ENUM('unknown', 'application', 'audio', 'image', 'text', 'video', 'message', 'model', 'multipart', 'chemical') DEFAULT 'unknown' NOT NULL,
  img_minor_mime VARBINARY(100) DEFAULT 'unknown' NOT NULL,
  img_description_id BIGINT UNSIGNED NOT NULL,
  img_actor BIGINT UNSIGNED NOT NULL,
  img_timestamp BINARY(14) NOT NULL,
  img_sha1 VARBINARY(32) DEFAULT '' NOT NULL,
  INDEX img_actor_timestamp (img_actor, img_timestamp),
  INDEX img_size (img_size),
  INDEX img_timestamp (img_timestamp),
  INDEX img_sha1 (img_sha1(10)),
  INDEX img_media_mime (img_media_type, img_major_mime, img_minor_mime),
  PRIMARY KEY(img_name)
) ENGINE=InnoDB, DEFAULT CHARSET=binary;
CREATE TABLE recentchanges (
  rc_id BIGINT UNSIGNED AUTO_INCREMENT NOT NULL,
  rc_timestamp BINARY(14) NOT NULL,
  rc_actor BIGINT UNSIGNED NOT NULL,
  rc_namespace INT DEFAULT 0 NOT NULL,
  rc_title VARBINARY(255) DEFAULT '' NOT NULL,
  rc_comment_id BIGINT UNSIGNED NOT NULL,
  rc_minor TINYINT UNSIGNED DEFAULT 0 NOT NULL,
  rc_bot TINYINT UNSIGNED DEFAULT 0 NOT NULL,
  rc_new TINYINT UNSIGNED DEFAULT 0 NOT NULL,
  rc_cur_id INT UNSIGNED DEFAULT 0 NOT NULL,
  rc_this_oldid INT UNSIGNED DEFAULT 0 NOT NULL,
  rc_last_oldid INT UNSIGNED DEFAULT 0 NOT NULL,
  rc_type TINYINT UNSIGNED DEFAULT 0 NOT NULL,
  rc_source VARBINARY(16) DEFAULT '' NOT NULL,
  rc_patrolled TINYINT UNSIGNED DEFAULT 0 NOT NULL,
  rc_ip VARBINARY(40) DEFAULT '' NOT NULL,
  rc_old_len INT DEFAULT NULL,
  rc_new_len INT DEFAULT NULL,
  rc_deleted TINYINT UNSIGNED DEFAULT 0 NOT NULL,
  rc_logid INT UNSIGNED DEFAULT 0 NOT NULL,
  rc_log_type VARBINARY(255) DEFAULT NULL,
  rc_log_action VARBINARY(255) DEFAULT NULL,
  rc_params BLOB DEFAULT NULL,
  INDEX rc_timestamp (rc_timestamp),
  INDEX rc_namespace_title_timestamp (rc_namespace, rc_title, rc_timestamp),
  INDEX rc_cur_id (rc_cur_id),
  INDEX rc_new_name_timestamp (rc_new, rc_namespace, rc_timestamp),
  INDEX rc_actor (rc_actor, rc_timestamp),
  PRIMARY KEY(rc_id)
) ENGINE=InnoDB, DEFAULT CHARSET=binary;
CREATE TABLE watchlist (
  wl_id INT UNSIGNED AUTO_INCREMENT NOT NULL,
  wl_user INT UNSIGNED NOT NULL,
  wl_namespace INT DEFAULT 0 NOT NULL,
  wl_title VARBINARY(255) DEFAULT '' NOT NULL,
  wl_notificationtimestamp BINARY(14) DEFAULT NULL,
  UNIQUE INDEX wl_user (wl_user, wl_namespace, wl_title),
  INDEX wl_namespace_title (wl_namespace, wl_title),
  PRIMARY KEY(wl_id)
) ENGINE=InnoDB, DEFAULT CHARSET=binary;
CREATE TABLE searchindex (
  si_page INT UNSIGNED NOT NULL,
  si_title VARCHAR(255) DEFAULT '' NOT NULL,
  si_text MEDIUMTEXT NOT NULL,
  UNIQUE INDEX si_page (si_page),
  FULLTEXT INDEX si_title (si_title),
  FULLTEXT INDEX si_text (si_text)
) ENGINE=MyISAM, DEFAULT CHARSET=utf8;
CREATE TABLE logging (
  log_id INT UNSIGNED AUTO_INCREMENT NOT NULL,
  log_type VARBINARY(32) DEFAULT '' NOT NULL,
  log_action VARBINARY(32) DEFAULT '' NOT NULL,
  log_timestamp BINARY(14) DEFAULT '19700101000000' NOT NULL,
  log_actor BIGINT UNSIGNED NOT NULL,
  log_namespace INT DEFAULT 0 NOT NULL,
  log_title VARBINARY(255) DEFAULT '' NOT NULL,
  log_page INT UNSIGNED DEFAULT NULL,
  log_params BLOB NOT NULL,
  log_deleted TINYINT UNSIGNED DEFAULT 0 NOT NULL,
  INDEX log_type_time (log_type, log_timestamp),
  INDEX log_page_time (log_namespace, log_title, log_timestamp),
  PRIMARY KEY(log_id)
) ENGINE=InnoDB, DEFAULT CHARSET=binary;
CREATE TABLE job (
  job_id INT UNSIGNED AUTO_INCREMENT NOT NULL,
  job_cmd VARBINARY(60) DEFAULT '' NOT NULL,
  job_namespace INT NOT NULL,
  job_title VARBINARY(255) NOT NULL,
  job_timestamp BINARY(14) DEFAULT NULL,
  job_params MEDIUMBLOB NOT NULL,
  job_random INT UNSIGNED DEFAULT 0 NOT NULL,
  job_attempts INT UNSIGNED DEFAULT 0 NOT NULL,
  job_token VARBINARY(32) DEFAULT '' NOT NULL,
  job_token_timestamp BINARY(14) DEFAULT NULL,
  job_sha1 VARBINARY(32) DEFAULT '' NOT NULL,
  INDEX job_sha1 (job_sha1),
  INDEX job_cmd_token (job_cmd, job_token, job_random),
  INDEX job_cmd (job_cmd, job_namespace, job_title, job_params(128)),
  PRIMARY KEY(job_id)
) ENGINE=InnoDB, DEFAULT CHARSET=binary;
CREATE TABLE objectcache (
  keyname VARBINARY(255) DEFAULT '' NOT NULL,
  value MEDIUMBLOB DEFAULT NULL,
  exptime BINARY(14) NOT NULL,
  modtoken VARCHAR(17) DEFAULT '00000000000000000' NOT NULL,
  flags INT UNSIGNED DEFAULT NULL,
  INDEX exptime (exptime),
  PRIMARY KEY(keyname)
) ENGINE=InnoDB, DEFAULT CHARSET=binary;
CREATE TABLE site_stats (
  ss_row_id INT UNSIGNED NOT NULL,
  ss_total_edits BIGINT UNSIGNED DEFAULT NULL,
  ss_good_articles BIGINT UNSIGNED DEFAULT NULL,
  ss_total_pages BIGINT UNSIGNED DEFAULT NULL,
  ss_users BIGINT UNSIGNED DEFAULT NULL,
  PRIMARY KEY(ss_row_id)
) ENGINE=InnoDB, DEFAULT CHARSET=binary;
CREATE TABLE updatelog (
  ul_key VARCHAR(255) NOT NULL,
  ul_value BLOB DEFAULT NULL,
  PRIMARY KEY(ul_key)
) ENGINE=InnoDB, DEFAULT CHARSET=binary;

INSERT INTO user (user_name, user_password, user_newpassword, user_email, user_touched, user_registration, user_editcount) VALUES
  ('Ada', ':pbkdf2:x', '', 'ada@example.com', '20240301000000', '20240101000000', 3), ('Renée', '', '', '', '20240302000000', NULL, 1);
INSERT INTO actor (actor_user, actor_name) VALUES (1, 'Ada'), (2, 'Renée'), (NULL, '192.0.2.7');
INSERT INTO user_groups (ug_user, ug_group, ug_expiry) VALUES (1, 'sysop', NULL), (1, 'bureaucrat', '20250101000000'), (2, 'bot', NULL);
INSERT INTO page (page_namespace, page_title, page_is_redirect, page_is_new, page_random, page_touched, page_latest, page_len, page_content_model) VALUES
  (0, 'Main_Page', 0, 0, 0.11, '20240301000000', 2, 44, 'wikitext'), (0, 'Weir', 0, 0, 0.52, '20240303000000', 4, 120, 'wikitext'),
  (0, 'Barrage', 1, 1, 0.73, '20240303000001', 5, 18, 'wikitext'), (14, 'Rivières', 0, 1, 0.94, '20240304000000', 6, 7, 'wikitext');
INSERT INTO comment (comment_hash, comment_text) VALUES (-1432, ''), (77, 'first version'), (-5, 'typo é');
INSERT INTO revision (rev_page, rev_comment_id, rev_actor, rev_timestamp, rev_minor_edit, rev_len, rev_parent_id, rev_sha1) VALUES
  (1, 1, 1, '20240301000000', 0, 40, 0, 'a'), (1, 3, 2, '20240302000000', 1, 44, 1, 'b'), (2, 2, 1, '20240302120000', 0, 100, 0, 'c'),
  (2, 3, 3, '20240303000000', 1, 120, 3, 'd'), (3, 2, 1, '20240303000001', 0, 18, 0, 'e'), (4, 1, 1, '20240304000000', 0, 7, 0, 'f');
INSERT INTO slots SELECT rev_id, 1, rev_id, rev_id FROM revision;
INSERT INTO content (content_size, content_sha1, content_model, content_address) SELECT rev_len, rev_sha1, 1, CONCAT('tt:', rev_id) FROM revision ORDER BY rev_id;
INSERT INTO text (old_text, old_flags) VALUES ('Welcome', 'utf-8'), ('Welcome!', 'utf-8'), ('A weir', 'utf-8'), ('A weir is', 'utf-8'), ('#REDIRECT [[Weir]]', 'utf-8'), (UNHEX('789c0300000000010d'), 'utf-8,gzip');
INSERT INTO linktarget (lt_namespace, lt_title) VALUES (0, 'Weir'), (0, 'Missing_page'), (10, 'Stub');
INSERT INTO pagelinks VALUES (1, 0, 1), (3, 0, 1), (2, 0, 2), (4, 14, 2);
INSERT INTO categorylinks (cl_from, cl_to, cl_sortkey, cl_timestamp, cl_collation, cl_type) VALUES
  (2, 'Rivières', 'WEIR', '2024-03-03 00:00:00', 'uppercase', 'page'), (4, 'Rivières', 'RIVIÈRES', '2024-03-04 00:00:00', 'uppercase', 'subcat'),
  (3, 'Rivières', 'BARRAGE', '2024-03-03 00:00:01', 'uppercase', 'page');
INSERT INTO image VALUES ('Weir.jpg', 12345, 640, 480, '{"data":{}}', 8, 'BITMAP', 'image', 'jpeg', 1, 1, '20240303000000', 'abc');
INSERT INTO recentchanges (rc_timestamp, rc_actor, rc_namespace, rc_title, rc_comment_id, rc_minor, rc_new, rc_cur_id, rc_this_oldid, rc_last_oldid, rc_source, rc_old_len, rc_new_len)
  SELECT rev_timestamp, rev_actor, page_namespace, page_title, rev_comment_id, rev_minor_edit, rev_parent_id = 0, page_id, rev_id, rev_parent_id, IF(rev_parent_id, 'mw.edit', 'mw.new'), NULL, rev_len FROM revision JOIN page ON page_id = rev_page ORDER BY rev_id;
INSERT INTO watchlist (wl_user, wl_namespace, wl_title) VALUES (1, 0, 'Weir'), (1, 1, 'Weir'), (2, 0, 'Main_Page');
INSERT INTO searchindex VALUES (1, 'main page', 'welcome'), (2, 'weir', 'a weir is');
INSERT INTO site_stats VALUES (1, 6, 2, 4, 2);
INSERT INTO updatelog VALUES ('actor-actor_name-patch.sql', NULL);
