/** What a simulation must not reach: real time, randomness, files, sockets, threads, and the settings of the host. */
import childProcess from 'node:child_process'
import crypto from 'node:crypto'
import dgram from 'node:dgram'
import dns from 'node:dns'
import dnsPromises from 'node:dns/promises'
import fs from 'node:fs'
import fsPromises from 'node:fs/promises'
import http from 'node:http'
import http2 from 'node:http2'
import https from 'node:https'
import net from 'node:net'
import os from 'node:os'
import timers from 'node:timers'
import timersPromises from 'node:timers/promises'
import tls from 'node:tls'
import workerThreads from 'node:worker_threads'
import zlib from 'node:zlib'

export interface Forbidden {
  /** Empty for globals. */
  readonly name: string
  readonly holder: object
  readonly members: readonly string[]
}

const RANDOM = ['randomBytes', 'randomFillSync', 'randomFill', 'randomInt', 'randomUUID']
/** These run in Node's thread pool, so that they end at a time of their own. */
const CRYPTO_THREADS = ['scrypt', 'pbkdf2', 'hkdf', 'generateKeyPair', 'generateKeyPairSync', 'generateKey', 'generatePrime', 'checkPrime']
const SUBTLE = Object.getPrototypeOf(globalThis.crypto.subtle) as object
/** The types of Node declare no value of this name. */
const WASM = Reflect.get(globalThis, 'WebAssembly') as object
const DATE_OF_HOST = ['getTimezoneOffset', 'getHours', 'getMinutes', 'getDate', 'getDay', 'getMonth', 'getFullYear']
const LOCALE = ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString']

export const REAL_WORLD: readonly Forbidden[] = [
  forbid('', globalThis, ['setTimeout', 'setInterval', 'setImmediate', 'fetch', 'MessageChannel', 'BroadcastChannel', 'WeakRef']),
  forbid('', globalThis, ['FinalizationRegistry', 'WebSocket']),
  forbid('Date', Date, ['now']),
  forbid('Date', Date.prototype, [...DATE_OF_HOST, ...LOCALE]),
  forbid('String', String.prototype, ['localeCompare', 'toLocaleLowerCase', 'toLocaleUpperCase']),
  forbid('Number', Number.prototype, ['toLocaleString']),
  forbid('Math', Math, ['random']),
  forbid('performance', performance, ['now']),
  forbid('process', process, ['hrtime', 'uptime', 'cpuUsage', 'memoryUsage', 'resourceUsage']),
  forbid('process.hrtime', process.hrtime, ['bigint']),
  forbid('AbortSignal', AbortSignal, ['timeout']),
  forbid('WebAssembly', WASM, ['compile', 'instantiate', 'compileStreaming', 'instantiateStreaming']),
  forbid('crypto', globalThis.crypto, ['getRandomValues', 'randomUUID']),
  forbid('crypto.subtle', SUBTLE, functionsOf(SUBTLE)),
  forbid('crypto', crypto, [...RANDOM, ...CRYPTO_THREADS]),
  forbid(
    'zlib',
    zlib,
    functionsOf(zlib).filter((name) => `${name}Sync` in zlib || name.startsWith('create')),
  ),
  forbid('timers', timers, functionsOf(timers)),
  forbid('timers/promises', timersPromises, functionsOf(timersPromises)),
  forbid('net', net, ['connect', 'createConnection', 'createServer']),
  forbid('net.Socket', net.Socket.prototype, ['connect']),
  forbid('tls', tls, ['connect', 'createServer']),
  forbid('dgram', dgram, ['createSocket']),
  forbid('dns', dns, functionsOf(dns)),
  forbid('dns/promises', dnsPromises, functionsOf(dnsPromises)),
  forbid('http', http, ['request', 'get', 'createServer']),
  forbid('http2', http2, ['connect', 'createServer', 'createSecureServer']),
  forbid('https', https, ['request', 'get', 'createServer']),
  forbid('fs', fs, functionsOf(fs)),
  forbid('fs/promises', fsPromises, functionsOf(fsPromises)),
  forbid('os', os, functionsOf(os)),
  forbid('child_process', childProcess, functionsOf(childProcess)),
  forbid('worker_threads', workerThreads, ['Worker']),
]

/** Taken before the guard replaces it. */
const { setImmediate } = globalThis

/** Resolves when all promises have settled that settle without another event. */
export function promisesSettle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

function forbid(name: string, holder: object, members: readonly string[]): Forbidden {
  return { name, holder, members: members.filter((member) => member in holder) }
}

/** Functions that are not constructors, by the usual spelling of names. */
function functionsOf(holder: object): readonly string[] {
  return Object.getOwnPropertyNames(holder).filter((name) => {
    const { value } = Object.getOwnPropertyDescriptor(holder, name) ?? {}
    return typeof value === 'function' && /^[a-z]/.test(name) && name !== 'constructor'
  })
}
