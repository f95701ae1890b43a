'use strict';
// A list of named checks: each runs by itself, and the process ends with 1 when one has failed.
const assert = require('assert');
const host = process.env.WEIR_HOST || '127.0.0.1';
const port = Number(process.env.WEIR_PORT || 3306);
let passed = 0;
let failed = 0;

async function check(name, body) {
  try {
    await body();
    passed++;
    console.log(`ok      ${name}`);
  } catch (error) {
    failed++;
    console.log(`FAILED  ${name}: ${process.env.TRACE ? error.stack : error.message}`);
  }
}

function end() {
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed ? 1 : 0);
}

async function fresh(database) {
  const c = await require('mysql2/promise').createConnection({ host, port, user: 'root' });
  await c.query(`drop database if exists ${database}`);
  await c.query(`create database ${database}`);
  await c.end();
}

module.exports = { assert, check, end, fresh, host, port, same: assert.deepStrictEqual };
