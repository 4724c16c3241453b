/**
 * A machine's record of a key, outside the data directory. Its lock shows that a process uses the key; its newest signed epoch
 * reveals an old copy of a store. Machines, containers and users without access to this folder are not covered.
 */
import { join } from 'node:path'
import { type Address, type Bytes32, bytesToNumber, concatBytes, keccak256, numberToBytes, utf8ToBytes } from '@keelson/primitives'
import { type KeyValueStore, openLevelStore, RuntimeError } from '@keelson/runtime'
import { ValidatorError } from '../errors.ts'
import { BUCKETS } from './buckets.ts'
import type { ProtectedChain } from './protected-chain.ts'

export interface NewestSigned {
  readonly epoch: number
  readonly digest: Bytes32
}

export interface MachineRecord {
  newest(chain: ProtectedChain): NewestSigned | null
  /** On disk when this resolves; never lowers the epoch. */
  note(chain: ProtectedChain, signed: NewestSigned): Promise<void>
  close(): Promise<void>
}

const EPOCH_BYTES = 8
const SMALL_BYTES = 256 * 1024
const REMEDY =
  'this record of the machine reveals an old copy of the slashing protection; remove it only if that store is the newest of this key'

export function createMachineRecord(store: KeyValueStore): MachineRecord {
  function newest(chain: ProtectedChain): NewestSigned | null {
    const value = store.getSync(keyOf(chain))
    return value === null ? null : { epoch: bytesToNumber(value.subarray(0, EPOCH_BYTES)), digest: value.subarray(EPOCH_BYTES) }
  }
  return {
    newest,
    async note(chain, { epoch, digest }) {
      const before = newest(chain)
      if (before !== null && before.epoch >= epoch) return
      await store.batch([{ put: keyOf(chain), value: concatBytes(numberToBytes(epoch, EPOCH_BYTES), digest) }], { sync: true })
    },
    close: () => store.close(),
  }
}

/** Throws ValidatorError `consensus/validator-key-in-use` when another process uses the key. */
export async function openMachineRecord(machineDirectory: string, key: Address): Promise<MachineRecord> {
  const directory = join(machineDirectory, key)
  try {
    const irreplaceable = { remedy: REMEDY }
    return createMachineRecord(await openLevelStore({ directory, cacheBytes: SMALL_BYTES, writeBufferBytes: SMALL_BYTES, irreplaceable }))
  } catch (error) {
    if (!(error instanceof RuntimeError) || error.code !== 'runtime/store-locked') throw error
    throw new ValidatorError(
      'consensus/validator-key-in-use',
      'critical',
      `${error.details.holder} of this machine uses key ${key} (it holds ${directory}): two that sign with one key are slashed; stop the other one first`,
      { key, directory },
      { cause: error },
    )
  }
}

function keyOf({ chainId, contract, anchor }: ProtectedChain): Uint8Array {
  return concatBytes(Uint8Array.of(BUCKETS.machineNewestEpoch), keccak256(utf8ToBytes(`${chainId} ${contract} ${anchor}`)))
}
