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
  /** Options of `npm run simulate` that reach the changed code and show what it breaks. */
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
    options: ['--faults', 'l1-reorg', '--fault-rate', '30'],
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
    options: ['--faults', 'submitter-kill,l1-stall', '--fault-rate', '30'],
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
    options: ['--faults', 'l1-reorg', '--fault-rate', '30'],
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
    name: 'signature-before-record',
    about: 'a validator signs an attestation, and records it then',
    edits: [
      {
        file: 'packages/validator/src/guarded-signer.ts',
        find: 'const admission = await protection',
        replace: "const signed = await signer.signUnguarded({ kind: 'attestation', ...request })\n      const admission = await protection",
      },
      {
        file: 'packages/validator/src/guarded-signer.ts',
        find: "return signer.signUnguarded({ kind: 'attestation', ...request })",
        replace: 'return signed',
      },
    ],
    options: ['--staking', '--l1-finality', '16'],
  },
  {
    name: 'attestation-not-synced',
    about: 'the record of an attestation is not synced',
    edits: [{ file: 'packages/validator/src/protection/protection-store.ts', find: '{ sync: true }', replace: '{ sync: false }' }],
    options: ['--staking', '--l1-finality', '16'],
  },
  {
    name: 'journal-not-synced',
    about: 'the journal of sent transactions is not synced',
    edits: [
      {
        file: 'packages/client/src/tx/journal.ts',
        find: 'value: encodeEntry(entry) }], { sync: true })',
        replace: 'value: encodeEntry(entry) }])',
      },
    ],
    options: ['--faults', 'app-power,power', '--fault-rate', '30'],
  },
  {
    name: 'gossip-signature-unchecked',
    about: 'a follower takes gossiped blocks whoever signed them',
    edits: [
      {
        file: 'packages/consensus/src/p2p/gossip/block-validator.ts',
        find: 'return author !== null && signers.isFamiliar(author) ? author : null',
        replace: 'return signers.current()',
      },
    ],
    options: ['--faults', 'lying-peer', '--fault-rate', '20'],
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
  {
    name: 'offence-not-reported',
    about: 'the watcher reports no pair of attestations of a key for one epoch',
    edits: [
      {
        file: 'packages/validator/src/watch/offence-tasks.ts',
        find: 'of offences.doubleAttestations) {',
        replace: 'of offences.doubleAttestations.slice(0, 0)) {',
      },
    ],
    options: ['--staking', '--validators', '2', '--faults', 'double-vote'],
  },
]
