/** Makes the real world unreachable while a simulation runs. */
import childProcess from 'node:child_process'
import crypto from 'node:crypto'
import dgram from 'node:dgram'
import fs from 'node:fs'
import fsPromises from 'node:fs/promises'
import http from 'node:http'
import https from 'node:https'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import workerThreads from 'node:worker_threads'
import { NodeError, type Severity } from '@keelson/primitives'

export class GuardError extends NodeError<'simulator/real-world'> {
  readonly severity: Severity = 'critical'
}

type Holder = Record<string, unknown>

const RANDOM = ['randomBytes', 'randomFillSync', 'randomFill', 'randomInt', 'randomUUID', 'generateKeyPairSync']
const FILES = ['open', 'openSync', 'readFile', 'readFileSync', 'writeFile', 'writeFileSync', 'createReadStream', 'createWriteStream']
const FILE_PROMISES = ['open', 'readFile', 'writeFile', 'mkdir', 'rename', 'rm', 'stat', 'readdir']

const FORBIDDEN: readonly (readonly [name: string, holder: object, members: readonly string[]])[] = [
  ['', globalThis, ['setTimeout', 'setInterval', 'setImmediate', 'fetch']],
  ['Date', Date, ['now']],
  ['Math', Math, ['random']],
  ['performance', performance, ['now']],
  ['AbortSignal', AbortSignal, ['timeout']],
  ['crypto', globalThis.crypto, ['getRandomValues', 'randomUUID']],
  ['crypto', crypto, RANDOM],
  ['net', net, ['connect', 'createConnection', 'createServer']],
  ['net.Socket', net.Socket.prototype, ['connect']],
  ['dgram', dgram, ['createSocket']],
  ['http', http, ['request', 'get', 'createServer']],
  ['https', https, ['request', 'get', 'createServer']],
  ['fs', fs, FILES],
  ['fs/promises', fsPromises, FILE_PROMISES],
  ['child_process', childProcess, ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'fork']],
  ['worker_threads', workerThreads, ['Worker']],
]

/** A call throws a GuardError, which also goes to `onReach`, as production code may catch it. Returns the function that restores. */
export function forbidRealWorld(onReach: (error: GuardError) => void): () => void {
  const restores: (() => void)[] = []
  const refuse = (what: string): never => {
    const error = new GuardError('simulator/real-world', `${what} was called in a simulation: inject it through a port`, { what })
    onReach(error)
    throw error
  }
  const replace = (holder: object, member: string, value: unknown) => {
    const before = Object.getOwnPropertyDescriptor(holder, member)
    Object.defineProperty(holder, member, { configurable: true, writable: true, value })
    restores.push(() => {
      if (before === undefined) delete (holder as Holder)[member]
      else Object.defineProperty(holder, member, before)
    })
  }
  for (const [name, holder, members] of FORBIDDEN) {
    for (const member of members) {
      const what = name === '' ? member : `${name}.${member}`
      replace(
        holder,
        member,
        refusing(() => refuse(what)),
      )
    }
  }
  replace(
    globalThis,
    'Date',
    dateWithoutNow(() => refuse('new Date()')),
  )
  syncBuiltinESMExports()
  return () => {
    for (const restore of restores.reverse()) restore()
    syncBuiltinESMExports()
  }
}

/** A function that also refuses `new`. */
function refusing(refuse: () => never) {
  return function forbidden() {
    return refuse()
  }
}

function dateWithoutNow(refuse: () => never): DateConstructor {
  return new Proxy(Date, {
    construct: (date, args, target) => (args.length === 0 ? refuse() : Reflect.construct(date, args, target)),
    apply: () => refuse(),
  })
}
