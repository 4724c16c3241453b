/** Changes to production code that the judges must find. They are made in a copy of the sources, never in the tree. */

export interface Edit {
  readonly file: string
  /** Occurs once in the file. */
  readonly find: string
  readonly replace: string
}

export interface PlantedBug {
  readonly name: string
  /** For a reader: what the code no longer does. */
  readonly about: string
  readonly edits: readonly Edit[]
  /** Of `npm run simulate`, under which the changed code runs and what it breaks shows. */
  readonly options?: readonly string[]
}

export const PLANTED_BUGS: readonly PlantedBug[] = [
  {
    name: 'base-fee-lost',
    about: 'the base fee of a transaction goes to nobody',
    edits: [
      {
        file: 'packages/evm/src/tx/execute-transaction.ts',
        find: 'session.addBalance(BASE_FEE_VAULT_BYTES, baseFeeWei * gasUsed)',
        replace: 'session.addBalance(BASE_FEE_VAULT_BYTES, 0n)',
      },
    ],
  },
  {
    name: 'finalized-too-early',
    about: 'a block is finalized as soon as it is derived, although its L1 block is not final',
    edits: [
      {
        file: 'packages/consensus/src/driver/safe/finality.ts',
        find: 'safeHeads.atOrBefore(finalizedL1.number)',
        replace: 'safeHeads.atOrBefore(Number.MAX_SAFE_INTEGER)',
      },
    ],
  },
  {
    name: 'reset-dropped',
    about: 'an error that asks for a reset of derivation is ignored',
    edits: [
      {
        file: 'packages/consensus/src/driver/failures.ts',
        find: "resets.ask(resetReasonOf(error), 'derivation')",
        replace: '',
      },
    ],
  },
  {
    name: 'channel-survives-reset',
    about: 'a reset of derivation keeps the frames of the open channel',
    edits: [
      {
        file: 'packages/derivation/src/pipeline/channel-assembler.ts',
        find: '    reset() {\n      staging = null\n    },',
        replace: '    reset() {},',
      },
    ],
  },
  {
    name: 'unsafe-proposed',
    about: 'the proposer proposes blocks that are not even safe',
    edits: [
      {
        file: 'packages/proposer/src/proposer.ts',
        find: 'const have = allowNonFinalized ? status.safeL2 : status.finalizedL2',
        replace: 'const have = allowNonFinalized ? status.safeL2 : status.unsafeL2',
      },
    ],
  },
  {
    name: 'blocks-forgotten',
    about: 'a batcher that starts again begins at the unsafe head, and forgets the blocks below',
    edits: [
      {
        file: 'packages/batcher/src/batcher.ts',
        find: 'cursor.restart(status.safeL2)',
        replace: 'cursor.restart(status.unsafeL2)',
      },
    ],
  },
  {
    name: 'transaction-forgotten',
    about: 'now and then a batch lacks the last transaction of a block',
    edits: [
      {
        file: 'packages/batcher/src/batch-block.ts',
        find: 'payload.transactions.filter((transaction) => transaction[0] !== TX_DEPOSIT)',
        replace: 'payload.transactions.filter((tx) => tx[0] !== TX_DEPOSIT).slice(0, payload.blockNumber % 31 === 0 ? -1 : undefined)',
      },
    ],
  },
  {
    name: 'journal-not-read',
    about: 'a batcher that starts again does not wait for the transactions of the last run',
    edits: [
      {
        file: 'packages/batcher/src/restart.ts',
        find: 'for (const { receipt } of left) submissions.watch(receipt)',
        replace: '',
      },
    ],
  },
  {
    name: 'paid-before-recorded',
    about: 'the faucet, like all senders, records a transaction after it was sent',
    edits: [
      {
        file: 'packages/client/src/tx/publisher.ts',
        find: `      await journal.put(transaction.entry)
    }
    transaction.sentMs = clock.monotonicMs()
    transaction.offered = true
    await account.sendRaw(transaction.sidecar === null ? signed.raw : encodeWithSidecar(signed, transaction.sidecar))`,
        replace: `    }
    transaction.sentMs = clock.monotonicMs()
    transaction.offered = true
    await account.sendRaw(transaction.sidecar === null ? signed.raw : encodeWithSidecar(signed, transaction.sidecar))
    await journal.put(transaction.entry)`,
      },
    ],
  },
  {
    name: 'published-not-synced',
    about: 'the sequencer publishes a block before the block or its signature is on disk',
    edits: [
      {
        file: 'packages/execution/src/engine/engine.ts',
        find: 'const sync = this.#deps.syncWrites || published',
        replace: 'const sync = this.#deps.syncWrites',
      },
      {
        file: 'packages/consensus/src/sequencer/signing-record.ts',
        find: '{ sync: durable }',
        replace: '{ sync: false }',
      },
    ],
    options: ['--faults', 'power', '--fault-rate', '20'],
  },
  {
    name: 'stale-origin',
    about: 'the sequencer goes on with an L1 origin whose parent was replaced',
    edits: [
      {
        file: 'packages/consensus/src/sequencer/origin-selector.ts',
        find: 'if (block.parentHash !== origin.hash) throw reorg(head, block)',
        replace: '',
      },
    ],
  },
  {
    name: 'old-lease-accepted',
    about: 'a conductor whose lease has ended still leads, and etcd records its blocks',
    edits: [
      {
        file: 'packages/conductor/src/etcd/etcd-leader.ts',
        find: 'const isStale = () => !session.alive && clock.monotonicMs() > view.readAtMs + ttlMs',
        replace: 'const isStale = () => false',
      },
      {
        file: 'packages/conductor/src/etcd/etcd-ledger.ts',
        find: '[leads, compare.modified(keys.head, record.revision)],\n        [\n          operation.put(keys.head, JSON.stringify(head)),\n          operation.put(keys.block',
        replace:
          '[compare.modified(keys.head, record.revision)],\n        [\n          operation.put(keys.head, JSON.stringify(head)),\n          operation.put(keys.block',
      },
    ],
    options: ['--sequencers', '2', '--faults', 'leader-freeze,leader-cut,leader-transfer,store-kill', '--fault-rate', '8'],
  },
  {
    name: 'chain-not-cut',
    about: 'the index of canonical blocks keeps the blocks above a new, lower head',
    edits: [
      {
        file: 'packages/execution/src/chain/forkchoice-plan.ts',
        find: '      ...removed.flatMap((block) => staleOps(block, receiptsOf(chain, block))),\n',
        replace: '',
      },
    ],
  },
]
