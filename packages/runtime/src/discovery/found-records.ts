import type { ENR } from '@chainsafe/enr'
import type { Logger } from '@keelson/primitives'
import type { Metrics } from '../metrics.ts'
import { subnetAt } from '../peers/address-scope.ts'
import { createSubnetTable } from '../peers/subnet-table.ts'
import { type FoundRecord, judgeRecord, type RecordRules } from './judge-record.ts'

const MAX_REMEMBERED_RECORDS = 2_000
/** Limit per /24 or IPv6 /48, so that one operator cannot fill the list on disk. */
const MAX_RECORDS_OF_SUBNET = 8

export interface FoundRecordsDependencies {
  readonly rules: RecordRules
  readonly onFound: (node: FoundRecord) => void
  readonly log: Logger
  readonly metrics?: Metrics
}

/** Judges each record of another node once per sequence number, and remembers those of this chain. */
export class FoundRecords {
  readonly #deps: FoundRecordsDependencies
  readonly #judged = new Map<string, bigint>()
  readonly #ofThisChain = createSubnetTable<string>({ most: MAX_REMEMBERED_RECORDS, mostOfSubnet: MAX_RECORDS_OF_SUBNET })
  readonly #count: ReturnType<Metrics['counter']> | undefined

  constructor(deps: FoundRecordsDependencies) {
    this.#deps = deps
    this.#count = deps.metrics?.counter('discovery_records_total', 'discovery records seen for the first time, by verdict', ['verdict'])
  }

  consider(enr: ENR): void {
    if ((this.#judged.get(enr.nodeId) ?? -1n) >= enr.seq) return
    this.#judged.delete(enr.nodeId)
    this.#judged.set(enr.nodeId, enr.seq)
    if (this.#judged.size > MAX_REMEMBERED_RECORDS) this.#judged.delete(this.#judged.keys().next().value as string)
    const { rules, log, onFound } = this.#deps
    const { verdict, record } = judgeRecord(enr, rules)
    this.#count?.inc(1, { verdict })
    if (record === null) return
    this.#ofThisChain.set(enr.nodeId, subnetAt(record.ip), enr.encodeTxt())
    log.debug('node found', { node: enr.nodeId, ip: record.ip, tcp: record.tcpPort })
    onFound(record)
  }

  /** Newest first. */
  texts(): readonly string[] {
    return [...this.#ofThisChain.values()].reverse()
  }
}
