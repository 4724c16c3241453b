/** Options of anvil and Hardhat Network that a rollup cannot have. */
import { asCalled } from '@keelson/runtime'

const NO_FORK =
  'a rollup derives its blocks from its own L1, so it cannot begin with the state of another chain. "npx anvil --fork-url URL" forks one for ' +
  `a test; "${asCalled('execution --network op-mainnet')}" with "${asCalled('consensus --network op-mainnet')}" follows one that is public`
// specs: protocol/derivation.md#batch-queue (timestamp), #batch-stages (drift); protocol/rollup-node-p2p.md#block-validation (5 s).
const NO_INSTANT =
  'every L2 block is one block time younger than its parent, so a block per transaction would run ahead of the clock: nodes reject blocks from ' +
  'peers that are 5 s ahead, and past the sequencer drift a block may hold no transaction. The sequencer makes a block for every block time, ' +
  `also without transactions; "${asCalled('devnet --fresh --block-time 1')}" makes one a second`
const NO_STATE = `"${asCalled('devnet snapshot NAME')}" and "${asCalled('devnet restore NAME')}" save and bring back both chains`
const NO_IMPERSONATION = 'a transaction on L2 needs its signature; a deposit from an account that L1 impersonates runs on L2 in its name'

const FORKING = ['fork-url', 'rpc-url', 'fork-block-number', 'fork-transaction-hash', 'fork-chain-id', 'fork-header', 'fork-retry-backoff']

const INSTEAD: Readonly<Record<string, string>> = {
  ...Object.fromEntries(FORKING.map((name) => [name, NO_FORK])),
  ...Object.fromEntries(['instant', 'automine', 'no-mining', 'mixed-mining'].map((name) => [name, NO_INSTANT])),
  ...Object.fromEntries(['state', 'dump-state', 'load-state'].map((name) => [name, NO_STATE])),
  'auto-impersonate': NO_IMPERSONATION,
  network: NO_FORK,
}

/** `--fork` chooses a fork of the OP Stack, and people give it the URL of a chain. */
export function foreignOption(flag: string, value: string | true): string | null {
  if (flag === 'fork' && typeof value === 'string' && /^(https?|wss?):/.test(value)) return NO_FORK
  return Object.hasOwn(INSTEAD, flag) ? (INSTEAD[flag] ?? null) : null
}
