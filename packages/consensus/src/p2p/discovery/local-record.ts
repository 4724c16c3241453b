import { SignableENR } from '@chainsafe/enr'
import { isWildcard } from '../host/listen-address.ts'
import { encodeOpstackEntry, OPSTACK_ENTRY } from './opstack-entry.ts'

export interface LocalRecordOptions {
  readonly nodeKey: Uint8Array
  readonly chainId: bigint
  readonly listenHost: string
  readonly tcpPort: number
  readonly udpPort: number
  /** Null means the listening address, or the one other nodes see when listening on all. */
  readonly advertiseIp: string | null
  readonly nowMs: number
}

export function createLocalRecord(options: LocalRecordOptions): SignableENR {
  const record = SignableENR.createV4(options.nodeKey, { [OPSTACK_ENTRY]: encodeOpstackEntry(options.chainId) })
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
