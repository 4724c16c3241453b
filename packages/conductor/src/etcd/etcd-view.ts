/** What this process knows of the keys of a chain. An answer older than what is known is ignored. */
import { KEPT_PAYLOADS, type Lease, type RecordedBlock } from '../ports.ts'
import { EtcdReplaced } from './etcd-error.ts'
import { type EtcdKeys, parseBlock, parseHead, parseLeader, parseTerm, type StoredHead } from './etcd-keys.ts'
import type { KnownHistory } from './etcd-memory.ts'
import { parseReport, type StoredReport } from './etcd-reports.ts'
import { operation, prefixEnd, type TransactionAnswer } from './etcd-transaction.ts'

const MAX_MEMBERS = 64

export interface StoredRecord {
  readonly head: StoredHead
  /** Revision of the head's key, which a write compares. */
  readonly revision: string
}

export class EtcdView {
  readonly #keys: EtcdKeys
  readonly #note: (known: KnownHistory) => void
  #known: KnownHistory
  #readAtMs = Number.NEGATIVE_INFINITY
  #term = 0
  #leader: Lease | null = null
  #record: StoredRecord | null = null
  #reports: ReadonlyMap<string, StoredReport> = new Map()
  readonly #blocks = new Map<number, RecordedBlock>()

  /** `known` is from an earlier process; null accepts any etcd. `note` is called when the term or the head has changed. */
  constructor(keys: EtcdKeys, known: KnownHistory | null, note: (known: KnownHistory) => void) {
    this.#keys = keys
    this.#known = known ?? { revision: 0n, term: 0, head: null }
    this.#note = note
  }

  /** Newest revision of which anything is known. */
  get revision(): bigint {
    return this.#known.revision
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

  get reports(): ReadonlyMap<string, StoredReport> {
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

  /**
   * False when the record moved to another chain and its blocks have to be read again. `asked` is when, and `revision` as it was
   * then. Throws EtcdReplaced when etcd lost what was known.
   */
  read({ revision, entries }: TransactionAnswer, asked: { readonly atMs: number; readonly revision: bigint }): boolean {
    if (revision < asked.revision) throw new EtcdReplaced(`its revision is ${revision}, and was ${asked.revision}`)
    if (revision < this.#known.revision) return true
    const [terms, leaders, heads, members = [], blocks = []] = entries
    const [term, leader, head] = [terms?.[0], leaders?.[0], heads?.[0]]
    const record = head === undefined ? null : { head: parseHead(head), revision: head.revision }
    const newTerm = term === undefined ? 0 : parseTerm(term)
    const newBlocks = blocks.map(parseBlock)
    this.#assertGrown(newTerm, record?.head ?? null, newBlocks)
    if (this.#record !== null && record?.head.moves !== this.#record.head.moves) {
      this.#record = null
      this.#blocks.clear()
      return false
    }
    this.#readAtMs = asked.atMs
    this.#term = newTerm
    this.#leader = leader === undefined ? null : parseLeader(leader)
    this.#reports = new Map(members.map(parseReport))
    this.#record = record
    for (const block of newBlocks) this.#keep(block)
    this.#learn({ revision, term: newTerm, head: record?.head ?? null })
    return true
  }

  noteLeader(leader: Lease, { revision }: TransactionAnswer): void {
    if (revision < this.#known.revision) return
    this.#term = leader.term
    this.#leader = leader
    this.#learn({ ...this.#known, revision, term: leader.term })
  }

  noteRecorded(block: RecordedBlock, head: StoredHead, { revision }: TransactionAnswer): void {
    if (revision < this.#known.revision) return
    this.#record = { head, revision: String(revision) }
    this.#keep(block)
    this.#learn({ ...this.#known, revision, head })
  }

  #learn(known: KnownHistory): void {
    const { term, head } = this.#known
    this.#known = known
    if (known.term !== term || known.head?.hash !== head?.hash || known.head?.moves !== head?.moves) this.#note(known)
  }

  /** Terms grow, and the record grows or is moved. */
  #assertGrown(term: number, head: StoredHead | null, blocks: readonly RecordedBlock[]): void {
    if (term < this.#known.term) throw new EtcdReplaced(`its term is ${term}, and was ${this.#known.term}`)
    const known = this.#known.head
    if (known === null || (head !== null && head.moves > known.moves)) return
    if (head === null || head.moves < known.moves || head.number < known.number)
      throw new EtcdReplaced(`its record ends at block ${head?.number ?? 'none'}, and ended at block ${known.number}`)
    const isOther = ({ number, hash, parentHash }: RecordedBlock) =>
      (number === known.number && hash !== known.hash) || (number === known.number + 1 && parentHash !== known.hash)
    if ((head.number === known.number && head.hash !== known.hash) || blocks.some(isOther))
      throw new EtcdReplaced(`its record lacks block ${known.number} with hash ${known.hash}`)
  }

  #keep(block: RecordedBlock): void {
    this.#blocks.set(block.number, block)
    for (const oldest of this.#blocks.keys()) {
      if (this.#blocks.size <= KEPT_PAYLOADS) return
      this.#blocks.delete(oldest)
    }
  }
}
