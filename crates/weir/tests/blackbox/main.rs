//! The real binary, started on a free port and in a temporary directory, asked by raw packets.

mod accounts;
mod attributes;
mod commands;
mod commits;
mod common;
mod compression;
mod crash;
mod damage;
mod doctor;
mod events;
mod files;
mod fuzz;
mod http;
mod login;
mod logs;
mod process;
mod programs;
mod protocol;
mod replica;
mod salvage;
mod sessions;
mod supervised;
mod tables;
mod tls;
mod undo;
