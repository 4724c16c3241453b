/** Changes to production code that the judges must find. They are made in a copy of the sources, never in the tree. */

export interface PlantedBug {
  readonly name: string
  /** For a reader: what the code no longer does. */
  readonly about: string
  readonly file: string
  /** Occurs once in the file. */
  readonly find: string
  readonly replace: string
}

export const PLANTED_BUGS: readonly PlantedBug[] = [
  {
    name: 'base-fee-lost',
    about: 'the base fee of a transaction goes to nobody',
    file: 'packages/evm/src/tx/execute-transaction.ts',
    find: 'session.addBalance(BASE_FEE_VAULT_BYTES, baseFeeWei * gasUsed)',
    replace: 'session.addBalance(BASE_FEE_VAULT_BYTES, 0n)',
  },
  {
    name: 'finalized-too-early',
    about: 'a block is finalized as soon as it is derived, although its L1 block is not final',
    file: 'packages/consensus/src/driver/safe/finality.ts',
    find: 'safeHeads.atOrBefore(finalizedL1.number)',
    replace: 'safeHeads.atOrBefore(Number.MAX_SAFE_INTEGER)',
  },
  {
    name: 'reset-dropped',
    about: 'an error that asks for a reset of derivation is ignored',
    file: 'packages/consensus/src/driver/failures.ts',
    find: "resets.ask(resetReasonOf(error), 'derivation')",
    replace: '',
  },
  {
    name: 'channel-survives-reset',
    about: 'a reset of derivation keeps the frames of the open channel',
    file: 'packages/derivation/src/pipeline/channel-assembler.ts',
    find: '    reset() {\n      staging = null\n    },',
    replace: '    reset() {},',
  },
  {
    name: 'unsafe-proposed',
    about: 'the proposer proposes blocks that are not even safe',
    file: 'packages/proposer/src/proposer.ts',
    find: 'const have = allowNonFinalized ? status.safeL2 : status.finalizedL2',
    replace: 'const have = allowNonFinalized ? status.safeL2 : status.unsafeL2',
  },
  {
    name: 'blocks-forgotten',
    about: 'a batcher that starts again begins at the unsafe head, and forgets the blocks below',
    file: 'packages/batcher/src/batcher.ts',
    find: 'cursor.restart(status.safeL2)',
    replace: 'cursor.restart(status.unsafeL2)',
  },
  {
    name: 'transaction-forgotten',
    about: 'now and then a batch lacks the last transaction of a block',
    file: 'packages/batcher/src/batch-block.ts',
    find: 'payload.transactions.filter((transaction) => transaction[0] !== TX_DEPOSIT)',
    replace: 'payload.transactions.filter((tx) => tx[0] !== TX_DEPOSIT).slice(0, payload.blockNumber % 31 === 0 ? -1 : undefined)',
  },
  {
    name: 'journal-not-read',
    about: 'a batcher that starts again does not wait for the transactions of the last run',
    file: 'packages/batcher/src/restart.ts',
    find: 'for (const { receipt } of left) submissions.watch(receipt)',
    replace: '',
  },
  {
    name: 'paid-before-recorded',
    about: 'the faucet, like all senders, records a transaction after it was sent',
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
  {
    name: 'published-not-synced',
    about: 'the sequencer publishes a block before it is on disk',
    file: 'packages/execution/src/engine/engine.ts',
    find: 'const sync = this.#deps.syncWrites || published',
    replace: 'const sync = this.#deps.syncWrites',
  },
  {
    name: 'stale-origin',
    about: 'the sequencer goes on with an L1 origin whose parent was replaced',
    file: 'packages/consensus/src/sequencer/origin-selector.ts',
    find: 'if (block.parentHash !== origin.hash) throw reorg(head, block)',
    replace: '',
  },
  {
    name: 'chain-not-cut',
    about: 'the index of canonical blocks keeps the blocks above a new, lower head',
    file: 'packages/execution/src/chain/forkchoice-plan.ts',
    find: '      ...removed.flatMap((block) => staleOps(block, receiptsOf(chain, block))),\n',
    replace: '',
  },
]
