/** Slashing protection on a key-value store. What is decided is decided from the store, one admission after the other. */
import { attestationDigest } from '@keelson/contracts'
import { type Address, type Bytes32, bytesToHex, type Clock, equalBytes, type Hash, ZERO_HASH } from '@keelson/primitives'
import { asCalled, type KeyValueOp, type KeyValueStore } from '@keelson/runtime'
import { ValidatorError } from '../errors.ts'
import type { AttestationToSign } from '../signer.ts'
import type { Interchange } from './interchange.ts'
import type { MachineRecord } from './machine-record.ts'
import {
  damagedProtection,
  decodeHeader,
  decodeMarks,
  decodeSigned,
  decodeStop,
  END_OF_KEYS,
  encodeHeader,
  encodeMarks,
  encodeSigned,
  encodeStop,
  FIRST_KEY,
  HEADER_KEY,
  type Header,
  keyOfMarks,
  type Marks,
  marksKey,
  type SignedRecord,
  STOP_KEY,
  signedKey,
} from './protection-records.ts'
import type { Admission, ProtectedChain, RefusalReason, SlashingProtection } from './slashing-protection.ts'

export interface ProtectionDependencies {
  readonly clock: Pick<Clock, 'nowMs'>
  /** What this machine knows of a key beyond the store; null when nothing is kept for it. */
  readonly machineRecord?: (key: Address) => MachineRecord | null
}

/** Newest epochs of a key whose attestations are kept: for exports, and to go on with after a restart. */
export const KEPT_EPOCHS = 1024
/** Records dropped at a time, so that no write becomes long. */
const PRUNE_LIMIT = 256
const SYNC = { sync: true } as const
const MAX_REASON_LENGTH = 1_000

/** Writes the header of a store that has none. What it writes is on disk when it resolves. */
export async function initialiseProtectionStore(store: KeyValueStore, clock: Pick<Clock, 'nowMs'>): Promise<void> {
  if (store.getSync(HEADER_KEY) !== null) return
  await store.batch([{ put: HEADER_KEY, value: encodeHeader({ createdMs: clock.nowMs(), chain: null }) }], SYNC)
}

/** Throws ValidatorError `consensus/protection-damaged` when the store has no header, or one that cannot be read. */
export function createSlashingProtection(store: KeyValueStore, dependencies: ProtectionDependencies): SlashingProtection {
  const { clock, machineRecord = () => null } = dependencies
  let last: Promise<unknown> = Promise.resolve()

  /** One after the other: between reading what is on record and writing what follows, nothing else may come. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = last.then(work)
    last = mine.catch(() => undefined)
    return mine
  }

  function header(): Header {
    const bytes = store.getSync(HEADER_KEY)
    if (bytes === null) throw damagedProtection('it has no header')
    return decodeHeader(bytes)
  }

  function marksOf(key: Address): Marks | null {
    const bytes = store.getSync(marksKey(key))
    return bytes === null ? null : decodeMarks(bytes)
  }

  function signedFor(key: Address, epoch: number, chain: ProtectedChain): SignedRecord | null {
    const bytes = store.getSync(signedKey(key, epoch))
    if (bytes === null) return null
    const record = decodeSigned(bytes)
    if (record.attestation.epoch !== epoch || !equalBytes(record.digest, attestationDigest(chain, chain.anchor, record.attestation))) {
      throw damagedProtection(`what ${key} signed for epoch ${epoch} does not match its digest`)
    }
    return record
  }

  async function outdated(key: Address, below: number): Promise<KeyValueOp[]> {
    const ops: KeyValueOp[] = []
    if (below <= 0) return ops
    for await (const [del] of store.range(signedKey(key, 0), signedKey(key, below), { limit: PRUNE_LIMIT })) ops.push({ del })
    return ops
  }

  function chainAfter(chain: ProtectedChain): KeyValueOp[] {
    const found = header()
    return found.chain === null ? [{ put: HEADER_KEY, value: encodeHeader({ ...found, chain }) }] : []
  }

  async function judge(key: Address, request: AttestationToSign): Promise<Admission> {
    const { domain, anchor, attestation } = request
    const { epoch } = attestation
    const chain: ProtectedChain = { chainId: domain.chainId, contract: domain.contract, anchor }
    const stop = protection.stopped()
    if (stop !== null) return refused('stopped', `nothing is signed since ${new Date(stop.sinceMs).toISOString()}: ${stop.reason}`)
    const marks = marksOf(key)
    if (marks === null) return refused('unknown-key', withoutRecord(key))
    if (anchor === ZERO_HASH) return refused('other-chain', 'the staking contract has no anchor yet: nobody is registered there')
    const { chain: known } = header()
    if (known !== null && !isSameChain(known, chain)) return refused('other-chain', otherChain(known, chain))
    const machine = machineRecord(key)
    const seen = machine?.newest(chain) ?? null
    const isBehindMachine = seen !== null && seen.epoch > (marks.newestEpoch ?? -1)
    const watermark = isBehindMachine ? Math.max(seen.epoch, marks.watermark ?? 0) : marks.watermark
    if (watermark !== null && epoch <= watermark) {
      const why = isBehindMachine
        ? `this machine has signed with it for epoch ${seen.epoch} from a store that knew more than this one (an old copy?)`
        : `epochs up to ${watermark} are refused (its watermark)`
      return refused('below-watermark', `key ${key} does not sign for epoch ${epoch}: ${why}; a later epoch can be signed for`)
    }
    const digest = attestationDigest(domain, anchor, attestation)
    const before = signedFor(key, epoch, chain)
    if (before !== null) {
      if (!equalBytes(before.digest, digest)) return refused('other-attestation-in-epoch', otherAttestation(key, before, attestation))
      if (seen?.epoch === epoch && !equalBytes(seen.digest, digest)) {
        return refused(
          'other-attestation-in-epoch',
          `this machine has signed something else with key ${key} in epoch ${epoch}, from another store`,
        )
      }
      await machine?.note(chain, { epoch, digest })
      return { verdict: 'repeated' }
    }
    if (marks.newestEpoch !== null && epoch <= marks.newestEpoch) {
      return refused(
        'older-than-newest',
        `key ${key} does not sign for epoch ${epoch}: it has signed for epoch ${marks.newestEpoch} already`,
      )
    }
    await record(key, chain, marks, { digest, attestation })
    await machine?.note(chain, { epoch, digest })
    return { verdict: 'new' }
  }

  async function record(key: Address, chain: ProtectedChain, { watermark }: Marks, signed: SignedRecord): Promise<void> {
    const { epoch } = signed.attestation
    await store.batch(
      [
        ...chainAfter(chain),
        { put: signedKey(key, epoch), value: encodeSigned(signed) },
        { put: marksKey(key), value: encodeMarks({ watermark, newestEpoch: epoch }) },
        ...(await outdated(key, epoch - KEPT_EPOCHS + 1)),
      ],
      SYNC,
    )
  }

  const protection: SlashingProtection = {
    chain: () => header().chain,
    async keys() {
      const keys = []
      for await (const [stored, value] of store.range(FIRST_KEY, END_OF_KEYS)) keys.push({ key: keyOfMarks(stored), ...decodeMarks(value) })
      return keys
    },
    beginKey: (key) =>
      inTurn(async () => {
        if (marksOf(key) !== null) return false
        await store.batch([{ put: marksKey(key), value: encodeMarks({ watermark: null, newestEpoch: null }) }], SYNC)
        return true
      }),
    admitAttestation: (key, request) => inTurn(() => judge(key, request)),
    async recordedAttestation(key, epoch) {
      const { chain } = header()
      const record = chain === null ? null : signedFor(key, epoch, chain)
      if (chain === null || record === null) return null
      const { chainId, contract, anchor } = chain
      return { domain: { chainId, contract }, anchor, attestation: record.attestation }
    },
    raiseWatermark: (key, epoch) =>
      inTurn(async () => {
        const marks = marksOf(key)
        if (marks === null) throw new ValidatorError('consensus/protection-missing', 'critical', withoutRecord(key), { key })
        if (marks.watermark !== null && epoch <= marks.watermark) return
        // what was signed stays: it tells this program's own attestations from those of another machine
        await store.batch([{ put: marksKey(key), value: encodeMarks({ ...marks, watermark: epoch }) }], SYNC)
      }),
    watermark: async (key) => marksOf(key)?.watermark ?? null,
    stop: (reason, key) =>
      inTurn(async () => {
        if (store.getSync(STOP_KEY) !== null) return
        const stop = { reason: reason.slice(0, MAX_REASON_LENGTH), sinceMs: clock.nowMs(), key: key ?? null }
        await store.batch([{ put: STOP_KEY, value: encodeStop(stop) }], SYNC)
      }),
    stopped() {
      const bytes = store.getSync(STOP_KEY)
      return bytes === null ? null : decodeStop(bytes)
    },
    clearStop: () => inTurn(() => store.batch([{ del: STOP_KEY }], SYNC)),
    exportInterchange: (keys) =>
      inTurn(async () => {
        const { chain } = header()
        const records = (await protection.keys()).filter(({ key }) => keys === undefined || keys.includes(key))
        const exported = []
        for (const { key, watermark } of records) {
          const attestations = []
          for await (const [, value] of store.range(signedKey(key, 0), signedKey(key, Number.MAX_SAFE_INTEGER))) {
            const { attestation, digest } = decodeSigned(value)
            attestations.push({ epoch: attestation.epoch, signingRoot: hexOf(digest) })
          }
          exported.push({ key, watermark, attestations })
        }
        return { chain, keys: exported }
      }),
    importInterchange: (interchange) => inTurn(() => merge(interchange)),
    close: () => inTurn(() => store.close()),
  }

  async function merge({ chain, keys }: Interchange) {
    const { chain: known } = header()
    if (chain !== null && known !== null && !isSameChain(known, chain)) {
      throw new ValidatorError('consensus/protection-import', 'critical', `${otherChain(known, chain)}; nothing was changed`)
    }
    const merged = new Map<Address, Marks>()
    const conflicts: { readonly key: Address; readonly epoch: number }[] = []
    for (const { key, watermark, attestations } of keys) {
      const own = merged.get(key) ?? marksOf(key) ?? { watermark: null, newestEpoch: null }
      let highest = watermark
      const roots = new Map<number, Hash>()
      for (const { epoch, signingRoot } of attestations) {
        highest = Math.max(highest ?? 0, epoch)
        if (signingRoot === null) continue
        const other = roots.get(epoch) ?? ownRoot(key, epoch, known)
        if (other !== null && other !== signingRoot) conflicts.push({ key, epoch })
        roots.set(epoch, signingRoot)
      }
      merged.set(key, { ...own, watermark: highest === null ? own.watermark : Math.max(highest, own.watermark ?? 0) })
    }
    const ops: KeyValueOp[] = chain === null ? [] : chainAfter(chain)
    for (const [key, marks] of merged) ops.push({ put: marksKey(key), value: encodeMarks(marks) })
    if (ops.length > 0) await store.batch(ops, SYNC)
    return { keys: [...merged].map(([key, marks]) => ({ key, ...marks })), conflicts }
  }

  function ownRoot(key: Address, epoch: number, chain: ProtectedChain | null): Hash | null {
    const record = chain === null ? null : signedFor(key, epoch, chain)
    return record === null ? null : hexOf(record.digest)
  }

  header()
  return protection
}

function refused(reason: RefusalReason, message: string): Admission {
  return { verdict: 'refused', reason, message }
}

function isSameChain(a: ProtectedChain, b: ProtectedChain): boolean {
  return a.chainId === b.chainId && a.contract === b.contract && a.anchor === b.anchor
}

function otherChain(known: ProtectedChain, asked: ProtectedChain): string {
  const show = ({ chainId, contract, anchor }: ProtectedChain) => `chain ${chainId}, staking contract ${contract}, anchor ${anchor}`
  return `this slashing protection store is for ${show(known)}, and was asked about ${show(asked)}; give each chain a data directory of its own`
}

export function withoutRecord(key: Address): string {
  return (
    `there is no record of what key ${key} has signed, so it must not sign: bring the record along ` +
    `(${asCalled('validator')} protection import FILE), or, only if this key has never signed anything anywhere, ` +
    `begin one (${asCalled('validator protection init')} --new-key ${key})`
  )
}

function otherAttestation(key: Address, { attestation: before }: SignedRecord, now: AttestationToSign['attestation']): string {
  const show = ({ checkpointNumber, checkpointHash }: AttestationToSign['attestation']) => `block ${checkpointNumber} ${checkpointHash}`
  return (
    `key ${key} has signed for ${show(before)} in epoch ${now.epoch} and will sign nothing else there; ` +
    `refused: ${show(now)}. Send the recorded one, or wait for the next epoch`
  )
}

function hexOf(digest: Bytes32): Hash {
  return bytesToHex(digest) as Hash
}
