/** Each lie changes one field and keeps the original block hash. */
import { type Address, concatBytes, type ExecutionPayload, type PayloadEnvelope, toHash, type Withdrawal } from '@keelson/primitives'

export interface PayloadLie {
  readonly name: string
  readonly envelope: PayloadEnvelope
}

const WITHDRAWAL: Withdrawal = { index: 0n, validatorIndex: 0n, address: `0x${'00'.repeat(19)}01` as Address, amountGwei: 0n }
const HASH = toHash(`0x${'6b'.repeat(32)}`)
const MAX_U64 = (1n << 64n) - 1n
const FILLING = Uint8Array.from({ length: 8 }, (_, i) => i + 1)

export function payloadLies(envelope: PayloadEnvelope): readonly PayloadLie[] {
  const { payload, parentBeaconBlockRoot } = envelope
  const lies: PayloadLie[] = []
  for (const field of Object.keys(payload) as (keyof ExecutionPayload)[]) {
    for (const [how, value] of changesOf(field, payload[field])) {
      lies.push({ name: `${field}: ${how}`, envelope: { payload: { ...payload, [field]: value }, parentBeaconBlockRoot } })
    }
  }
  if (parentBeaconBlockRoot !== null) {
    lies.push({
      name: 'parentBeaconBlockRoot: another',
      envelope: { payload, parentBeaconBlockRoot: changedHex(parentBeaconBlockRoot) as never },
    })
    const older = { ...payload, withdrawalsRoot: null }
    lies.push({
      name: 'version: 2',
      envelope: { payload: { ...older, blobGasUsed: null, excessBlobGas: null }, parentBeaconBlockRoot: null },
    })
    if (payload.withdrawalsRoot !== null) lies.push({ name: 'version: 3', envelope: { payload: older, parentBeaconBlockRoot } })
  }
  if (payload.withdrawalsRoot === null) {
    lies.push({
      name: 'version: 4',
      envelope: {
        payload: { ...payload, withdrawals: [], blobGasUsed: 0n, excessBlobGas: 0n, withdrawalsRoot: HASH },
        parentBeaconBlockRoot: HASH,
      },
    })
  }
  return lies
}

function changesOf(field: keyof ExecutionPayload, value: unknown): readonly (readonly [how: string, value: unknown])[] {
  if (value === null) return []
  if (field === 'withdrawals') return withdrawalChanges
  if (Array.isArray(value)) return listChanges(value as Uint8Array[])
  if (value instanceof Uint8Array) return bytesChanges(value, field === 'logsBloom')
  if (typeof value === 'bigint') return numberChanges(value)
  if (typeof value === 'number')
    return numberChanges(BigInt(value)).flatMap(([how, n]) => (n < 1n << 53n ? [[how, Number(n)] as const] : []))
  return [
    ['another', changedHex(value as string)],
    ['zero', `0x${'00'.repeat(((value as string).length - 2) / 2)}`],
  ].filter(([, changed]) => changed !== value) as [string, unknown][]
}

const withdrawalChanges: readonly (readonly [string, unknown])[] = [
  ['one more', [WITHDRAWAL]],
  ['sixteen', Array.from({ length: 16 }, () => WITHDRAWAL)],
]

function listChanges(items: readonly Uint8Array[]): readonly (readonly [string, unknown])[] {
  const [first, second] = items as [Uint8Array, Uint8Array]
  const last = items[items.length - 1] as Uint8Array
  return [
    ['none', []],
    ['first missing', items.slice(1)],
    ['last missing', items.slice(0, -1)],
    ['last twice', [...items, last]],
    ['first two swapped', [second, first, ...items.slice(2)]],
    ['an additional empty one', [...items, new Uint8Array(0)]],
    ['an additional invalid one', [...items, FILLING]],
    ['two joined', [concatBytes(first, second), ...items.slice(2)]],
    ['last changed', [...items.slice(0, -1), changedByte(last, last.length - 1)]],
    ['first changed', [changedByte(first, 40), ...items.slice(1)]],
    ['last cut short', [...items.slice(0, -1), last.subarray(0, -1)]],
    ['last longer', [...items.slice(0, -1), concatBytes(last, FILLING)]],
  ]
}

function bytesChanges(bytes: Uint8Array, fixed: boolean): readonly (readonly [string, unknown])[] {
  const changes: [string, unknown][] = []
  if (bytes.length > 0) changes.push(['first byte', changedByte(bytes, 0)], ['last byte', changedByte(bytes, bytes.length - 1)])
  if (fixed) return changes
  if (bytes.length > 0) changes.push(['empty', new Uint8Array(0)])
  if (bytes.length < 32) changes.push(['longer', concatBytes(bytes, Uint8Array.of(0))])
  return changes
}

function numberChanges(value: bigint): readonly (readonly [string, bigint])[] {
  const changes: [string, bigint][] = [
    ['more', value + 1n],
    ['largest', MAX_U64],
  ]
  return value === 0n ? changes : [...changes, ['less', value - 1n], ['zero', 0n]]
}

function changedByte(bytes: Uint8Array, at: number): Uint8Array {
  const changed = bytes.slice()
  changed[at] = (changed[at] as number) ^ 1
  return changed
}

function changedHex(hex: string): string {
  return `${hex.slice(0, -1)}${hex.endsWith('1') ? '2' : '1'}`
}

export interface WireLie {
  readonly name: string
  readonly answer: (truth: Uint8Array) => Uint8Array
}

/** Responses of the block request protocol: a result byte, a version of four bytes (little-endian) and snappy frames. */
export const WIRE_LIES: readonly WireLie[] = [
  { name: 'nothing', answer: () => new Uint8Array(0) },
  { name: 'only the result', answer: (truth) => truth.subarray(0, 1) },
  { name: 'no frames', answer: (truth) => truth.subarray(0, 5) },
  { name: 'cut in the first frame', answer: (truth) => truth.subarray(0, 40) },
  { name: 'cut by half', answer: (truth) => truth.subarray(0, truth.length >> 1) },
  { name: 'cut by a byte', answer: (truth) => truth.subarray(0, -1) },
  { name: 'a byte more', answer: (truth) => concatBytes(truth, Uint8Array.of(0)) },
  { name: 'no stream identifier', answer: (truth) => concatBytes(truth.subarray(0, 5), truth.subarray(15)) },
  { name: 'another checksum', answer: (truth) => changedByte(truth, 20) },
  { name: 'another last byte', answer: (truth) => changedByte(truth, truth.length - 1) },
  {
    name: 'the version of forms with or without a beacon root',
    answer: (truth) => Uint8Array.of(0, truth[1] === 0 ? 1 : 0, 0, 0, 0, ...truth.subarray(5)),
  },
  ...[3, 9, 255].map((version) => ({
    name: `version ${version} on the wire`,
    answer: (truth: Uint8Array) => Uint8Array.of(0, version, 0, 0, 0, ...truth.subarray(5)),
  })),
  { name: 'a version of four bytes', answer: (truth) => changedByte(truth, 4) },
  ...[1, 2, 3, 200].map((result) => ({
    name: `result ${result}`,
    answer: (truth: Uint8Array) => Uint8Array.of(result, ...truth.subarray(1)),
  })),
]
