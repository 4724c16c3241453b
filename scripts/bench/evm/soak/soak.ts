/**
 * Checks memory and answers over many transactions.
 *
 *   node --import=tsx scripts/bench/evm/soak/soak.ts [--kind contracts|endless|bombs|changing] [--transactions N] [--contracts N]
 *     [--evm ENGINE]
 *
 * endless: every transaction calls a new code. bombs: the most basic blocks per contract. changing: codes change inside a block.
 * Exits with 1 when memory grows after the first quarter.
 */
import { parseArgs } from 'node:util'
import { l1ForkRules } from '@keelson/chainspec'
import { type BlockSession, createMemoryView, type EvmEngine, type StateView } from '@keelson/evm'
import { EMPTY_BYTES } from '@keelson/primitives'
import { createSeededRandom } from '@keelson/runtime'
import { createNativeCrypto } from '../../../../packages/node/src/crypto/native-crypto.ts'
import { BENCH_ENV } from '../../execution/bench-env.ts'
import { describeMachine, machineLine } from '../../machine.ts'
import { createOwnEngines, readEngineNames } from '../engines/choose-engines.ts'
import { CHANGING_ACCOUNTS, createDestroyCreate, delegate } from './changing-code.ts'
import { bombCode, contractAddress, contracts, countingCode, createEndlessView } from './contracts.ts'
import { MemoryLog } from './memory-log.ts'
import { callContract } from './soak-call.ts'

const PER_BLOCK = 100
const SAMPLES = 20
/** More than the allocator and the garbage collector vary. */
const ALLOWED_RSS_MB = 96
const ALLOWED_HEAP_MB = 24

interface Soak {
  readonly view: StateView
  transaction(session: BlockSession, index: number): Promise<void>
}

const { values } = parseArgs({
  options: {
    kind: { type: 'string', default: 'contracts' },
    transactions: { type: 'string', default: '1000000' },
    contracts: { type: 'string', default: '10000' },
    evm: { type: 'string', default: 'wasm' },
  },
})
const random = createSeededRandom(11)
const count = Number(values.contracts)
const pick = () => Math.floor(random.next() * count)

function called(codeOf: (answer: bigint) => Uint8Array): Soak {
  const view = createMemoryView(contracts(count, codeOf))
  return {
    view,
    transaction(session) {
      const contract = pick()
      return callContract(session, contractAddress(contract), EMPTY_BYTES, BigInt(contract))
    },
  }
}

const KINDS: Readonly<Record<string, () => Soak>> = {
  contracts: () => called(countingCode),
  bombs: () => called(bombCode),
  endless: () => ({
    view: createEndlessView(countingCode),
    transaction: (session, index) => callContract(session, contractAddress(index), EMPTY_BYTES, BigInt(index)),
  }),
  changing: () => ({
    view: createMemoryView([...CHANGING_ACCOUNTS, ...contracts(count, countingCode)]),
    transaction: (session, index) => (index % 2 === 0 ? createDestroyCreate(session, BigInt(index)) : delegate(session, pick())),
  }),
}

async function run(engine: EvmEngine, soak: Soak, transactions: number): Promise<MemoryLog> {
  const log = new MemoryLog()
  const every = Math.max(1, Math.floor(transactions / SAMPLES / PER_BLOCK)) * PER_BLOCK
  for (let index = 0; index < transactions; ) {
    const session = engine.open(soak.view, BENCH_ENV, l1ForkRules('prague'))
    for (let i = 0; i < PER_BLOCK && index < transactions; i++) await soak.transaction(session, index++)
    session.takeDiff()
    if (index % every !== 0) continue
    const { seconds, rssMb, heapMb } = log.take(index)
    console.error(`${index} transactions, ${seconds.toFixed(0)} s, RSS ${rssMb.toFixed(0)} MB, heap ${heapMb.toFixed(0)} MB`)
  }
  return log
}

const soak = KINDS[values.kind]?.()
const [engine] = await createOwnEngines(readEngineNames(values.evm) ?? [], createNativeCrypto())
if (soak === undefined || engine === undefined) {
  console.error(`--kind ${values.kind} --evm ${values.evm}: expected a kind out of ${Object.keys(KINDS).join(', ')} and an engine of ours`)
  process.exit(2)
}
const log = await run(engine, soak, Number(values.transactions))
const grown = log.grownMb()
const flat = grown.rss < ALLOWED_RSS_MB && grown.heap < ALLOWED_HEAP_MB
console.log(machineLine(describeMachine()))
console.log(`\n${values.kind} on ${engine.name}: every answer was right\n${log.table()}`)
console.log(
  `\n${flat ? 'flat' : 'NOT FLAT'} after the first quarter: RSS ${grown.rss.toFixed(0)} MB, heap ${grown.heap.toFixed(1)} MB, buffers ${grown.buffers.toFixed(1)} MB`,
)
process.exit(flat ? 0 : 1)
