import type { SignableENR } from '@chainsafe/enr'
import type { Logger } from '@keelson/primitives'
import { createLocalRecord, type LocalRecordOptions, type RecordEntries, updateEntries } from './local-record.ts'

export interface MappedAddress {
  readonly ip: string
  readonly tcpPort: number
}

export interface OwnRecordDependencies extends Omit<LocalRecordOptions, 'entries'> {
  readonly entries: () => RecordEntries
  readonly mapped: () => MappedAddress | null
  readonly log: Logger
}

/** The record that this node gives to others. */
export class OwnRecord {
  readonly enr: SignableENR
  readonly #deps: OwnRecordDependencies
  #entries: RecordEntries

  constructor(deps: OwnRecordDependencies) {
    this.#deps = deps
    this.#entries = deps.entries()
    this.enr = createLocalRecord({ ...deps, entries: this.#entries })
  }

  text(): string {
    return this.enr.encodeTxt()
  }

  /** Takes over the address that a router opened, and entries that have changed. Nodes learn the new sequence number from the next ping. */
  refresh(): void {
    this.#takeMapped()
    const wanted = this.#deps.entries()
    if (updateEntries(this.enr, this.#entries, wanted)) this.#deps.log.info('the discovery record has new entries', { enr: this.text() })
    this.#entries = wanted
  }

  #takeMapped(): void {
    const { advertiseIp, log } = this.#deps
    const mapped = advertiseIp === null ? this.#deps.mapped() : null
    if (mapped === null || (this.enr.ip === mapped.ip && this.enr.tcp === mapped.tcpPort)) return
    this.enr.ip = mapped.ip
    this.enr.tcp = mapped.tcpPort
    log.info('the router takes connections for this node', { ip: mapped.ip, tcp: mapped.tcpPort, enr: this.text() })
  }
}
