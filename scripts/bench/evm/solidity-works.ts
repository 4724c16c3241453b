import type { MemoryAccount } from '@keelson/evm'
import { type Bytes20, bigintToBytes, bytesToBigint, concatBytes, hexToBytes } from '@keelson/primitives'
import { BENCH_CONTRACTS } from './contracts.generated.ts'
import type { Work } from './work.ts'

type ContractName = keyof typeof BENCH_CONTRACTS

const FIRST_CALLS = 400
const FIRST_CALL_ADDRESSES = hexToBytes('0x00000000000000000000000000000000c01d0000')
const addressOf = (name: string): Bytes20 => Uint8Array.from({ length: 20 }, (_, i) => name.charCodeAt(i % name.length))
const FIRST_TOKEN = addressOf('first token')
const SECOND_TOKEN = addressOf('second token')

function account(name: ContractName, address: Bytes20 = addressOf(name)): MemoryAccount {
  return { address, code: hexToBytes(BENCH_CONTRACTS[name].code) }
}

function callData(selector: `0x${string}`, ...words: readonly (bigint | Uint8Array)[]): Uint8Array {
  return concatBytes(hexToBytes(selector), ...words.map((word) => bigintToBytes(typeof word === 'bigint' ? word : bytesToBigint(word), 32)))
}

function solidityWork(name: string, contract: ContractName, data: Uint8Array, others: readonly MemoryAccount[] = []): Work {
  const accounts = [account(contract), ...others]
  return { name, unit: 'Mgas/s', calls: 1, target: addressOf(contract), data, repeats: true, accounts: () => accounts }
}

/** Each code differs in bytes that never execute. */
function firstCalls(): Work {
  const token = hexToBytes(BENCH_CONTRACTS.Token.code)
  const start = bytesToBigint(FIRST_CALL_ADDRESSES)
  return {
    name: 'first call of a contract',
    unit: 'us per call',
    calls: FIRST_CALLS,
    target: addressOf('FirstCalls'),
    data: callData(BENCH_CONTRACTS.FirstCalls.selectors.run, start, BigInt(FIRST_CALLS)),
    repeats: false,
    accounts: (seed) => [
      account('FirstCalls'),
      ...Array.from({ length: FIRST_CALLS }, (_, i) => ({
        address: bigintToBytes(start + BigInt(i), 20),
        code: concatBytes(token, bigintToBytes(BigInt(seed), 16), bigintToBytes(BigInt(i), 16)),
      })),
    ],
  }
}

export function solidityWorks(): readonly Work[] {
  const { Loops, RayTracer, Transfers, Swaps } = BENCH_CONTRACTS
  const token = addressOf('Token')
  const tokens = [account('Token', FIRST_TOKEN), account('Token', SECOND_TOKEN)]
  return [
    solidityWork('Solidity arithmetic', 'Loops', callData(Loops.selectors.arithmetic, 6_000n)),
    solidityWork('sieve', 'Loops', callData(Loops.selectors.sieve, 3_000n)),
    solidityWork('10,000 hashes', 'Loops', callData(Loops.selectors.hashes, 10_000n)),
    solidityWork('ray tracer', 'RayTracer', callData(RayTracer.selectors.render, 8n, 6n)),
    solidityWork('ERC-20 transfer', 'Transfers', callData(Transfers.selectors.run, token, 200n), [account('Token')]),
    solidityWork('swap of two tokens', 'Swaps', callData(Swaps.selectors.run, addressOf('Pair'), FIRST_TOKEN, SECOND_TOKEN, 50n), [
      account('Pair'),
      ...tokens,
    ]),
    firstCalls(),
  ]
}
