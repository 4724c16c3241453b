/** Stored evidence of offences: a reporter may connect later, and gossip is not repeated. */

import type { DoubleAttestation, DoubleBlock, InvalidAttestation, Offences } from '@keelson/contracts'
import { offencesToJson, parseOffencesJson } from '@keelson/contracts'
import { bytesToHex, concatBytes, hexToBytes, keccak256, type Logger, numberToBytes, utf8ToBytes } from '@keelson/primitives'
import type { KeyValueStore } from '@keelson/runtime'
import { messageOf } from '../../errors.ts'
import { BUCKETS } from '../../store/buckets.ts'

export interface OffenceBook {
  load(): Promise<void>
  list(): Offences
  addDoubleAttestation(offence: DoubleAttestation): void
  addInvalidAttestation(offence: InvalidAttestation): void
  addDoubleBlock(offence: DoubleBlock): void
  settled(): Promise<void>
}

type Kind = keyof Offences
type Mutable = { -readonly [kind in Kind]: Map<string, Offences[kind][number]> }

const KINDS: Readonly<Record<Kind, { readonly code: number; readonly kept: number }>> = {
  doubleAttestations: { code: 0, kept: 512 },
  invalidAttestations: { code: 1, kept: 512 },
  // Two blocks of up to 128 KiB each.
  doubleBlocks: { code: 2, kept: 16 },
}
const NONE: Offences = { doubleAttestations: [], invalidAttestations: [], doubleBlocks: [] }

export function createOffenceBook(store: KeyValueStore, log: Logger): OffenceBook {
  const kept: Mutable = { doubleAttestations: new Map(), invalidAttestations: new Map(), doubleBlocks: new Map() }
  let writing: Promise<void> = Promise.resolve()

  function add<K extends Kind>(kind: K, order: number, id: string, offence: Offences[K][number]): void {
    const key = concatBytes(
      Uint8Array.of(BUCKETS.offences, KINDS[kind].code),
      numberToBytes(order, 8),
      keccak256(utf8ToBytes(id)).subarray(0, 8),
    )
    const name = bytesToHex(key)
    if (kept[kind].has(name)) return
    kept[kind].set(name, offence)
    const value = utf8ToBytes(JSON.stringify(offencesToJson({ ...NONE, [kind]: [offence] })))
    const dropped = [...kept[kind].keys()].sort().slice(0, Math.max(0, kept[kind].size - KINDS[kind].kept))
    for (const old of dropped) kept[kind].delete(old)
    const ops = [{ put: key, value }, ...dropped.map((old) => ({ del: hexToBytes(old) }))]
    writing = writing
      .then(() => store.batch(ops, { sync: true }))
      .catch((error: unknown) => log.warn('evidence of an offence could not be written down', { reason: messageOf(error) }))
  }

  return {
    async load() {
      for await (const [key, value] of store.range(Uint8Array.of(BUCKETS.offences), Uint8Array.of(BUCKETS.offences + 1))) {
        const name = bytesToHex(key)
        const read = readEntry(value)
        if (read === null) {
          log.warn('a record of an offence cannot be read and is skipped', { key: name })
          continue
        }
        for (const offence of read.doubleAttestations) kept.doubleAttestations.set(name, offence)
        for (const offence of read.invalidAttestations) kept.invalidAttestations.set(name, offence)
        for (const offence of read.doubleBlocks) kept.doubleBlocks.set(name, offence)
      }
    },
    list: () => ({
      doubleAttestations: [...kept.doubleAttestations.values()],
      invalidAttestations: [...kept.invalidAttestations.values()],
      doubleBlocks: [...kept.doubleBlocks.values()],
    }),
    addDoubleAttestation: (offence) => add('doubleAttestations', offence.epoch, offence.validator, offence),
    addInvalidAttestation: (offence) =>
      add('invalidAttestations', offence.attestation.epoch, `${offence.validator}${offence.attestation.checkpointHash}`, offence),
    addDoubleBlock: (offence) =>
      add('doubleBlocks', offence.number, `${offence.blockKey}${offence.parentHash}${offence.sourceHash}`, offence),
    settled: () => writing,
  }
}

function readEntry(value: Uint8Array): Offences | null {
  try {
    return parseOffencesJson(JSON.parse(new TextDecoder().decode(value)))
  } catch {
    return null
  }
}
