-- The tables of a blog, as WordPress documents them (dates of zeros, prefixes of 191 characters, no foreign keys), with a few rows.
SET sql_mode = 'NO_ENGINE_SUBSTITUTION';

CREATE TABLE wp_users (
  ID bigint(20) unsigned NOT NULL auto_increment,
  user_login varchar(60) NOT NULL default '',
  user_pass varchar(255) NOT NULL default '',
  user_nicename varchar(50) NOT NULL default '',
  user_email varchar(100) NOT NULL default '',
  user_url varchar(100) NOT NULL default '',
  user_registered datetime NOT NULL default '0000-00-00 00:00:00',
  user_activation_key varchar(255) NOT NULL default '',
  user_status int(11) NOT NULL default '0',
  display_name varchar(250) NOT NULL default '',
  PRIMARY KEY  (ID),
  KEY user_login_key (user_login),
  KEY user_nicename (user_nicename),
  KEY user_email (user_email)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci;

CREATE TABLE wp_usermeta (
  umeta_id bigint(20) unsigned NOT NULL auto_increment,
  user_id bigint(20) unsigned NOT NULL default '0',
  meta_key varchar(255) default NULL,
  meta_value longtext,
  PRIMARY KEY  (umeta_id),
  KEY user_id (user_id),
  KEY meta_key (meta_key(191))
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci;

CREATE TABLE wp_terms (
 term_id bigint(20) unsigned NOT NULL auto_increment,
 name varchar(200) NOT NULL default '',
 slug varchar(200) NOT NULL default '',
 term_group bigint(10) NOT NULL default 0,
 PRIMARY KEY  (term_id),
 KEY slug (slug(191)),
 KEY name (name(191))
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci;

CREATE TABLE wp_termmeta (
  meta_id bigint(20) unsigned NOT NULL auto_increment,
  term_id bigint(20) unsigned NOT NULL default '0',
  meta_key varchar(255) default NULL,
  meta_value longtext,
  PRIMARY KEY  (meta_id),
  KEY term_id (term_id),
  KEY meta_key (meta_key(191))
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci;

CREATE TABLE wp_term_taxonomy (
 term_taxonomy_id bigint(20) unsigned NOT NULL auto_increment,
 term_id bigint(20) unsigned NOT NULL default 0,
 taxonomy varchar(32) NOT NULL default '',
 description longtext NOT NULL,
 parent bigint(20) unsigned NOT NULL default 0,
 count bigint(20) NOT NULL default 0,
 PRIMARY KEY  (term_taxonomy_id),
 UNIQUE KEY term_id_taxonomy (term_id,taxonomy),
 KEY taxonomy (taxonomy)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci;

CREATE TABLE wp_term_relationships (
 object_id bigint(20) unsigned NOT NULL default 0,
 term_taxonomy_id bigint(20) unsigned NOT NULL default 0,
 term_order int(11) NOT NULL default 0,
 PRIMARY KEY  (object_id,term_taxonomy_id),
 KEY term_taxonomy_id (term_taxonomy_id)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci;

CREATE TABLE wp_commentmeta (
  meta_id bigint(20) unsigned NOT NULL auto_increment,
  comment_id bigint(20) unsigned NOT NULL default '0',
  meta_key varchar(255) default NULL,
  meta_value longtext,
  PRIMARY KEY  (meta_id),
  KEY comment_id (comment_id),
  KEY meta_key (meta_key(191))
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci;

CREATE TABLE wp_comments (
  comment_ID bigint(20) unsigned NOT NULL auto_increment,
  comment_post_ID bigint(20) unsigned NOT NULL default '0',
  comment_author tinytext NOT NULL,
  comment_author_email varchar(100) NOT NULL default '',
  comment_author_url varchar(200) NOT NULL default '',
  comment_author_IP varchar(100) NOT NULL default '',
  comment_date datetime NOT NULL default '0000-00-00 00:00:00',
  comment_date_gmt datetime NOT NULL default '0000-00-00 00:00:00',
  comment_content text NOT NULL,
  comment_karma int(11) NOT NULL default '0',
  comment_approved varchar(20) NOT NULL default '1',
  comment_agent varchar(255) NOT NULL default '',
  comment_type varchar(20) NOT NULL default 'comment',
  comment_parent bigint(20) unsigned NOT NULL default '0',
  user_id bigint(20) unsigned NOT NULL default '0',
  PRIMARY KEY  (comment_ID),
  KEY comment_post_ID (comment_post_ID),
  KEY comment_approved_date_gmt (comment_approved,comment_date_gmt),
  KEY comment_date_gmt (comment_date_gmt),
  KEY comment_parent (comment_parent),
  KEY comment_author_email (comment_author_email(10))
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci;

CREATE TABLE wp_links (
  link_id bigint(20) unsigned NOT NULL auto_increment,
  link_url varchar(255) NOT NULL default '',
  link_name varchar(255) NOT NULL default '',
  link_image varchar(255) NOT NULL default '',
  link_target varchar(25) NOT NULL default '',
  link_description varchar(255) NOT NULL default '',
  link_visible varchar(20) NOT NULL default 'Y',
  link_owner bigint(20) unsigned NOT NULL default '1',
  link_rating int(11) NOT NULL default '0',
  link_updated datetime NOT NULL default '0000-00-00 00:00:00',
  link_rel varchar(255) NOT NULL default '',
  link_notes mediumtext NOT NULL,
  link_rss varchar(255) NOT NULL default '',
  PRIMARY KEY  (link_id),
  KEY link_visible (link_visible)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci;

CREATE TABLE wp_options (
  option_id bigint(20) unsigned NOT NULL auto_increment,
  option_name varchar(191) NOT NULL default '',
  option_value longtext NOT NULL,
  autoload varchar(20) NOT NULL default 'yes',
  PRIMARY KEY  (option_id),
  UNIQUE KEY option_name (option_name),
  KEY autoload (autoload)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci;

CREATE TABLE wp_postmeta (
  meta_id bigint(20) unsigned NOT NULL auto_increment,
  post_id bigint(20) unsigned NOT NULL default '0',
  meta_key varchar(255) default NULL,
  meta_value longtext,
  PRIMARY KEY  (meta_id),
  KEY post_id (post_id),
  KEY meta_key (meta_key(191))
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci;

CREATE TABLE wp_posts (
  ID bigint(20) unsigned NOT NULL auto_increment,
  post_author bigint(20) unsigned NOT NULL default '0',
  post_date datetime NOT NULL default '0000-00-00 00:00:00',
  post_date_gmt datetime NOT NULL default '0000-00-00 00:00:00',
  post_content longtext NOT NULL,
  post_title text NOT NULL,
  post_excerpt text NOT NULL,
  post_status varchar(20) NOT NULL default 'publish',
  comment_status varchar(20) NOT NULL default 'open',
  ping_status varchar(20) NOT NULL default 'open',
  post_password varchar(255) NOT NULL default '',
  post_name varchar(200) NOT NULL default '',
  to_ping text NOT NULL,
  pinged text NOT NULL,
  post_modified datetime NOT NULL default '0000-00-00 00:00:00',
  post_modified_gmt datetime NOT NULL default '0000-00-00 00:00:00',
  post_content_filtered longtext NOT NULL,
  post_parent bigint(20) unsigned NOT NULL default '0',
  guid varchar(255) NOT NULL default '',
  menu_order int(11) NOT NULL default '0',
  post_type varchar(20) NOT NULL default 'post',
  post_mime_type varchar(100) NOT NULL default '',
  comment_count bigint(20) NOT NULL default '0',
  PRIMARY KEY  (ID),
  KEY post_name (post_name(191)),
  KEY type_status_date (post_type,post_status,post_date,ID),
  KEY post_parent (post_parent),
  KEY post_author (post_author)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci;

INSERT INTO wp_users (user_login, user_pass, user_nicename, user_email, user_registered, display_name) VALUES
  ('admin', '$P$Bxyz', 'admin', 'admin@example.com', '2024-01-02 03:04:05', 'Ada Min'),
  ('renée', '$P$Babc', 'renee', 'renee@example.com', '2024-02-02 03:04:05', 'Renée'),
  ('guest', '', 'guest', '', '0000-00-00 00:00:00', 'guest');
INSERT INTO wp_usermeta (user_id, meta_key, meta_value) VALUES
  (1, 'wp_capabilities', 'a:1:{s:13:"administrator";b:1;}'), (1, 'nickname', 'admin'),
  (2, 'wp_capabilities', 'a:1:{s:6:"author";b:1;}'), (3, 'wp_capabilities', 'a:1:{s:10:"subscriber";b:1;}');
INSERT INTO wp_options (option_name, option_value, autoload) VALUES
  ('siteurl', 'http://example.com', 'yes'), ('blogname', 'Weir’s blog 🚣', 'yes'), ('cron', 'a:0:{}', 'yes'),
  ('_transient_timeout_feed', '1700000000', 'no'), ('_transient_feed', 'x', 'no'),
  ('_transient_timeout_fresh', '4700000000', 'no'), ('_transient_fresh', 'y', 'no');
INSERT INTO wp_terms (name, slug) VALUES ('Uncategorized', 'uncategorized'), ('Rivers', 'rivers'), ('Émigré', 'emigre'), ('tag one', 'tag-one');
INSERT INTO wp_term_taxonomy (term_id, taxonomy, description, parent) VALUES
  (1, 'category', '', 0), (2, 'category', 'about water', 0), (3, 'category', '', 2), (4, 'post_tag', '', 0);
INSERT INTO wp_posts (post_author, post_date, post_date_gmt, post_content, post_title, post_excerpt, post_status, post_name, to_ping, pinged,
  post_modified, post_modified_gmt, post_content_filtered, post_type, guid) VALUES
  (1, '2024-03-01 10:00:00', '2024-03-01 09:00:00', 'Welcome to the blog.', 'Hello world!', '', 'publish', 'hello-world', '', '', '2024-03-01 10:00:00', '2024-03-01 09:00:00', '', 'post', 'http://example.com/?p=1'),
  (1, '2024-03-05 10:00:00', '2024-03-05 09:00:00', 'A page of its own', 'Sample Page', '', 'publish', 'sample-page', '', '', '2024-03-05 10:00:00', '2024-03-05 09:00:00', '', 'page', 'http://example.com/?page_id=2'),
  (2, '2024-04-01 10:00:00', '2024-04-01 09:00:00', 'The weir holds the water.', 'Rivers and weirs', 'short', 'publish', 'rivers-and-weirs', '', '', '2024-04-02 10:00:00', '2024-04-02 09:00:00', '', 'post', 'http://example.com/?p=3'),
  (2, '0000-00-00 00:00:00', '0000-00-00 00:00:00', 'not yet', 'Draft', '', 'draft', '', '', '', '2024-04-03 10:00:00', '2024-04-03 09:00:00', '', 'post', 'http://example.com/?p=4'),
  (1, '2024-05-01 10:00:00', '2024-05-01 08:00:00', 'La rivière', 'Crème brûlée 🍮', '', 'publish', 'creme-brulee', '', '', '2024-05-01 10:00:00', '2024-05-01 08:00:00', '', 'post', 'http://example.com/?p=5');
INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES
  (1, '_edit_lock', '1709287200:1'), (1, 'views', '9'), (3, 'views', '120'), (5, 'views', '30'), (3, '_thumbnail_id', '77'), (5, 'event', '2024-06-01');
INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (1, 1), (3, 2), (3, 4), (5, 3), (5, 2);
INSERT INTO wp_comments (comment_post_ID, comment_author, comment_author_email, comment_date, comment_date_gmt, comment_content, comment_approved, comment_agent) VALUES
  (1, 'A WordPress Commenter', 'wapuu@example.com', '2024-03-01 11:00:00', '2024-03-01 10:00:00', 'Hi, this is a comment.', '1', ''),
  (3, 'spammer', 'spam@example.com', '2024-04-01 11:00:00', '2024-04-01 10:00:00', 'Buy!', 'spam', ''),
  (3, 'Renée', 'renee@example.com', '2024-04-01 12:00:00', '2024-04-01 11:00:00', 'Thanks', '0', '');
INSERT INTO wp_links (link_url, link_name, link_notes) VALUES ('http://example.org', 'Example', '');
