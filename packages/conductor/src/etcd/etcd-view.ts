/** What this process knows of the keys of a chain. An answer older than what is known is ignored. */
import { KEPT_PAYLOADS, type Lease, type RecordedBlock } from '../ports.ts'
import { type EtcdKeys, parseBlock, parseHead, parseLeader, parseTerm, type StoredHead } from './etcd-keys.ts'
import { parseReport, type Report } from './etcd-reports.ts'
import { operation, prefixEnd, type TransactionAnswer } from './etcd-transaction.ts'

const MAX_MEMBERS = 64

export interface StoredRecord {
  readonly head: StoredHead
  /** Revision of the head's key, which a write compares. */
  readonly revision: string
}

export class EtcdView {
  readonly #keys: EtcdKeys
  readonly #refuse: (fault: string) => never
  #revision = -1n
  #readAtMs = Number.NEGATIVE_INFINITY
  #term = 0
  #leader: Lease | null = null
  #record: StoredRecord | null = null
  #reports: ReadonlyMap<string, Report> = new Map()
  readonly #blocks = new Map<number, RecordedBlock>()

  /** `refuse` is called with the reason when etcd lost what was read from it. */
  constructor(keys: EtcdKeys, refuse: (fault: string) => never) {
    this.#keys = keys
    this.#refuse = refuse
  }

  get term(): number {
    return this.#term
  }

  /** Null while nobody leads. */
  get leader(): Lease | null {
    return this.#leader
  }

  get record(): StoredRecord | null {
    return this.#record
  }

  get reports(): ReadonlyMap<string, Report> {
    return this.#reports
  }

  get blocks(): ReadonlyMap<number, RecordedBlock> {
    return this.#blocks
  }

  /** Monotonic, when the question was sent whose answer is here. */
  get readAtMs(): number {
    return this.#readAtMs
  }

  /** Operations whose answer `read` takes. */
  questions() {
    const { term, leader, head, members, blocks, block } = this.#keys
    const from = this.#record === null ? blocks : block(this.#record.head.number + 1)
    return [
      operation.get(term),
      operation.get(leader),
      operation.get(head),
      operation.getRange(members, prefixEnd(members), MAX_MEMBERS),
      operation.getRange(from, prefixEnd(blocks), KEPT_PAYLOADS),
    ]
  }

  /** False when the record moved to another chain and its blocks have to be read again. */
  read({ revision, entries }: TransactionAnswer, askedMs: number): boolean {
    if (revision < this.#revision) return true
    const [terms, leaders, heads, members = [], blocks = []] = entries
    const [term, leader, head] = [terms?.[0], leaders?.[0], heads?.[0]]
    const record = head === undefined ? null : { head: parseHead(head), revision: head.revision }
    const newTerm = term === undefined ? 0 : parseTerm(term)
    this.#assertGrown(newTerm, record?.head ?? null)
    if (this.#record !== null && record?.head.moves !== this.#record.head.moves) {
      this.#record = null
      this.#blocks.clear()
      return false
    }
    this.#revision = revision
    this.#readAtMs = askedMs
    this.#term = newTerm
    this.#leader = leader === undefined ? null : parseLeader(leader)
    this.#reports = new Map(members.map(parseReport))
    this.#record = record
    for (const entry of blocks) this.#keep(parseBlock(entry))
    return true
  }

  noteLeader(leader: Lease, { revision }: TransactionAnswer): void {
    if (revision < this.#revision) return
    this.#revision = revision
    this.#term = leader.term
    this.#leader = leader
  }

  noteRecorded(block: RecordedBlock, head: StoredHead, { revision }: TransactionAnswer): void {
    if (revision < this.#revision) return
    this.#revision = revision
    this.#record = { head, revision: String(revision) }
    this.#keep(block)
  }

  /** Terms grow, and the record grows or is moved. */
  #assertGrown(term: number, head: StoredHead | null): void {
    if (term < this.#term) this.#refuse(`its term is ${term}, and was ${this.#term}`)
    const known = this.#record?.head
    if (known === undefined) return
    if (head === null || head.moves < known.moves || (head.moves === known.moves && head.number < known.number))
      this.#refuse(`its record ends at block ${head?.number ?? 'none'}, and ended at block ${known.number}`)
  }

  #keep(block: RecordedBlock): void {
    this.#blocks.set(block.number, block)
    for (const oldest of this.#blocks.keys()) {
      if (this.#blocks.size <= KEPT_PAYLOADS) return
      this.#blocks.delete(oldest)
    }
  }
}
