/** Makes the real world unreachable while a simulation runs. */
import { syncBuiltinESMExports } from 'node:module'
import { NodeError, type Severity } from '@keelson/primitives'
import { REAL_WORLD } from './real-world.ts'

export class GuardError extends NodeError<'simulator/real-world'> {
  readonly severity: Severity = 'critical'
}

type Holder = Record<string, unknown>

/** Errors that no caller caught. Node ends the process on them unless something listens. */
const UNCAUGHT = ['unhandledRejection', 'uncaughtException'] as const

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
  for (const { name, holder, members } of REAL_WORLD) {
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

/** Sends what nobody catches to `onError`, instead of to the listeners of the process. Returns the function that restores. */
export function catchUncaught(onError: (error: unknown) => void): () => void {
  const before = UNCAUGHT.map((event) => [event, process.rawListeners(event)] as const)
  for (const event of UNCAUGHT) {
    process.removeAllListeners(event)
    process.on(event, onError)
  }
  return () => {
    for (const [event, listeners] of before) {
      process.removeListener(event, onError)
      for (const listener of listeners) process.on(event, listener as (error: unknown) => void)
    }
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
