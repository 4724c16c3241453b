import { SignableENR } from '@chainsafe/enr'

/** A byte string or a list, as RLP has it. */
export type RecordValue = Uint8Array | readonly RecordValue[]
export type RecordEntries = Readonly<Record<string, RecordValue>>

export interface LocalRecordOptions {
  readonly nodeKey: Uint8Array
  readonly entries: RecordEntries
  readonly listenHost: string
  readonly tcpPort: number
  readonly udpPort: number
  /** Null means the listening address, or the one other nodes see when listening on all. */
  readonly advertiseIp: string | null
  readonly nowMs: number
}

export function createLocalRecord(options: LocalRecordOptions): SignableENR {
  // The library's type knows byte strings only; it writes whatever RLP can hold.
  const record = SignableENR.createV4(options.nodeKey, options.entries as Readonly<Record<string, Uint8Array>>)
  const ip = options.advertiseIp ?? (isWildcard(options.listenHost) ? null : options.listenHost)
  const isIp6 = (ip ?? options.listenHost).includes(':')
  if (isIp6) {
    if (ip !== null) record.ip6 = ip
    record.tcp6 = options.tcpPort
    record.udp6 = options.udpPort
  } else {
    if (ip !== null) record.ip = ip
    record.tcp = options.tcpPort
    record.udp = options.udpPort
  }
  // the sequence number must rise with each start, so that other nodes replace the old record
  record.seq = BigInt(Math.floor(options.nowMs))
  return record
}

/** Replaces the entries that differ, with a new sequence number. Returns false if none does. */
export function updateEntries(record: SignableENR, before: RecordEntries, entries: RecordEntries): boolean {
  const changed = Object.entries(entries).filter(([key, value]) => textOf(value) !== textOf(before[key]))
  for (const [key, value] of changed) record.set(key, value as Uint8Array)
  return changed.length > 0
}

function textOf(value: RecordValue | undefined): string {
  if (value === undefined) return ''
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : `[${value.map(textOf).join()}]`
}

function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}
