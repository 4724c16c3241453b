#!/usr/bin/env node
// The compiler from npm with the two calls of the native one that forge makes: --version, and --standard-json on stdin.
const { readFileSync } = require('node:fs')
const solc = require('solc')

if (process.argv.includes('--version')) {
  // forge reads the version and refuses a build it has no name for
  const version = solc.version().replace('Emscripten.clang', 'Linux.g++')
  console.log(`solc, the solidity compiler commandline interface\nVersion: ${version}`)
} else {
  process.stdout.write(solc.compile(readFileSync(0, 'utf8')))
}
