/** A missing store is an error: only the operator may create one. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Address, Clock } from '@keelson/primitives'
import { messageOf } from '@keelson/primitives'
import { asCalled, type KeyValueStore, openLevelStore, RuntimeError } from '@keelson/runtime'
import { ValidatorError } from '../errors.ts'
import { createSlashingProtection } from './create-protection.ts'
import { withoutRecord } from './decide-signing.ts'
import { type MachineRecord, openMachineRecord } from './machine-record.ts'
import { damagedProtection } from './protection-records.ts'
import { initialiseProtectionStore } from './protection-store.ts'
import type { SlashingProtection } from './slashing-protection.ts'

export interface OpenProtectionOptions {
  readonly directory: string
  readonly create: boolean
  readonly clock: Pick<Clock, 'nowMs'>
}

export interface OpenValidatorOptions {
  readonly directory: string
  readonly machineDirectory: string
  readonly keys: readonly Address[]
  readonly clock: Pick<Clock, 'nowMs'>
}

export const MAX_KEYS_OF_PROCESS = 100
const CACHE_BYTES = 4 * 1024 * 1024

/**
 * Opens a store that no validator uses; do not sign with it. Throws ValidatorError `consensus/protection-missing`,
 * `consensus/protection-damaged` or `consensus/validator-key-in-use`.
 */
export async function openSlashingProtection({ directory, create, clock }: OpenProtectionOptions): Promise<SlashingProtection> {
  const store = await openStore(directory, create, clock)
  return closingOnFailure([store], async () => createSlashingProtection(store, { clock }))
}

/**
 * Opens a store to sign with `keys`, which must have records and be used by no other process; closing releases them. Throws like
 * `openSlashingProtection`.
 */
export async function openValidatorProtection(options: OpenValidatorOptions): Promise<SlashingProtection> {
  const { directory, machineDirectory, clock } = options
  const keys = [...new Set(options.keys)]
  if (keys.length > MAX_KEYS_OF_PROCESS) {
    throw new ValidatorError(
      'consensus/validator-key',
      'critical',
      `${keys.length} keys are too many for one process, at most ${MAX_KEYS_OF_PROCESS}`,
    )
  }
  const store = await openStore(directory, false, clock)
  const records = new Map<Address, MachineRecord>()
  const opened: Closable[] = [store]
  return closingOnFailure(opened, async () => {
    const protection = createSlashingProtection(store, { clock, machineRecord: (key) => records.get(key) ?? null })
    const known = new Set((await protection.keys()).map(({ key }) => key))
    const unknown = keys.filter((key) => !known.has(key))
    if (unknown.length > 0) {
      throw new ValidatorError('consensus/protection-missing', 'critical', unknown.map(withoutRecord).join('\n'), {
        keys: unknown.join(' '),
      })
    }
    for (const key of keys) {
      const record = await openMachineRecord(machineDirectory, key)
      records.set(key, record)
      opened.push(record)
    }
    return {
      ...protection,
      // Only keys locked by this process may sign.
      admitAttestation: async (key, request) => {
        if (records.has(key) || !known.has(key)) return protection.admitAttestation(key, request)
        throw new ValidatorError('consensus/validator-key', 'critical', `key ${key} was not taken into use by this process`, { key })
      },
      async close() {
        await protection.close()
        for (const record of records.values()) await record.close()
      },
    }
  })
}

interface Closable {
  close(): Promise<void>
}

async function closingOnFailure<T>(opened: readonly Closable[], work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    for (const one of opened) await one.close()
    throw error
  }
}

async function openStore(directory: string, create: boolean, clock: Pick<Clock, 'nowMs'>): Promise<KeyValueStore> {
  if (!create && !(await isDatabase(directory))) {
    throw new ValidatorError(
      'consensus/protection-missing',
      'critical',
      `there is no slashing protection store at ${directory}: without it nothing is signed. If it was moved or lost, bring it or its newest ` +
        `export back (${asCalled('validator')} protection import FILE); only for keys that have never signed anything, begin one ` +
        `(${asCalled('validator protection init')} --new-key ADDRESS)`,
      { directory },
    )
  }
  const store = await openLevelStore({ directory, cacheBytes: CACHE_BYTES, irreplaceable: { remedy: 'nothing is signed' } }).catch(
    (error: unknown) => {
      throw storeError(directory, error)
    },
  )
  const checked: KeyValueStore = {
    ...store,
    getSync(key) {
      try {
        return store.getSync(key)
      } catch (error) {
        throw storeError(directory, error)
      }
    },
    async *range(from, to, options) {
      try {
        yield* store.range(from, to, options)
      } catch (error) {
        throw storeError(directory, error)
      }
    },
  }
  if (create) await closingOnFailure([store], () => initialiseProtectionStore(checked, clock))
  return checked
}

/** LevelDB's advice to resync does not apply: records cannot be derived again. */
function storeError(directory: string, error: unknown): unknown {
  if (!(error instanceof RuntimeError)) return error
  if (error.code === 'runtime/store-corrupt') return damagedProtection(messageOf(error.cause ?? error), error)
  if (error.code !== 'runtime/store-locked') return error
  return new ValidatorError(
    'consensus/validator-key-in-use',
    'critical',
    `${error.details.holder} holds the slashing protection store ${directory}, a running validator probably: stop it first`,
    { directory },
    { cause: error },
  )
}

async function isDatabase(directory: string): Promise<boolean> {
  try {
    await stat(join(directory, 'CURRENT'))
    return true
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return false
    throw error
  }
}
