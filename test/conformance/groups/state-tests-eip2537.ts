import type { ConformanceCase, ConformanceGroup } from '../group.ts'
import type { StateTest } from '../state-test.ts'
import { type EthereumTestFile, loadEthereumTests } from '../vectors/ethereum-tests.ts'
import { isEip2537, stateTestCases } from './state-tests.ts'

/** Filled for a draft of nine precompiles; only its first two addresses kept their functions. */
const LAST_ADDRESS_OF_BOTH = 0x0cn
const LEFT_OUT =
  'filled for a draft of EIP-2537 that has other precompiles at the addresses from 0x0d on; the group precompiles judges the final ones'

function calledAddress(data: string): bigint {
  return BigInt(`0x${data.slice(10, 74)}`)
}

function casesOf(file: EthereumTestFile, leaveOut: (count: number) => void): ConformanceCase[] {
  const tests = Object.entries(file.content as Readonly<Record<string, StateTest & { transaction: { data: readonly string[] } }>>)
  return tests.flatMap(([name, test]) => {
    const cases = stateTestCases({ id: file.id, content: { [name]: test } })
    if (test.transaction.data.every((data) => calledAddress(data) <= LAST_ADDRESS_OF_BOTH)) return cases
    leaveOut(cases.length)
    return []
  })
}

export const stateTestsEip2537: ConformanceGroup = {
  name: 'state-tests-eip2537',
  under: ['ethereum-tests/'],
  load: (folder) =>
    loadEthereumTests(folder, { format: 'state', accepts: isEip2537 }, (file) =>
      casesOf(file, (count) => folder.leaveOut(LEFT_OUT, count)),
    ),
}
