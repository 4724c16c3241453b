/** The parts of the client that need no browser. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { encodeAbiParameters, encodeErrorResult, encodeEventTopics, encodeFunctionData, type Hex, parseAbi, toFunctionSelector } from 'viem'
import { parseDeclaration } from '../client/data/abi/declaration.ts'
import { decodeCall, decodeError, decodeLog, functionName, valueText } from '../client/data/abi/decode.ts'
import { readKnownAbis } from '../server/known-abis.ts'

const ALICE = `0x${'a1'.repeat(20)}` as const
const BOB = `0x${'b2'.repeat(20)}` as const

describe('decoded calls, events and errors', () => {
  const abis = readKnownAbis(join(import.meta.dirname, '../../../contracts/artifacts'))
  const textOf = (decoded: ReturnType<typeof decodeCall>) => decoded?.values.map(({ name, value }) => `${name}=${valueText(value)}`)

  it('name the parameters of a call, lists and structures included', () => {
    const abi = parseAbi([
      'function transfer(address to, uint256 value)',
      'function swapExactETHForTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline)',
      'struct Withdrawal { uint256 nonce; address sender; address target; uint256 value; uint256 gasLimit; bytes data; }',
      'function finalizeWithdrawalTransaction(Withdrawal _tx)',
    ])
    const transfer = decodeCall(encodeFunctionData({ abi, functionName: 'transfer', args: [BOB, 7n] }), abis)
    assert.deepEqual([transfer?.name, textOf(transfer)], ['transfer', [`to=${BOB}`, 'value=7']])
    const swap = decodeCall(encodeFunctionData({ abi, functionName: 'swapExactETHForTokens', args: [1n, [ALICE, BOB], BOB, 9n] }), abis)
    assert.deepEqual(textOf(swap), ['amountOutMin=1', `path=[${ALICE}, ${BOB}]`, `to=${BOB}`, 'deadline=9'])
    const withdrawal = { nonce: 1n, sender: ALICE, target: BOB, value: 2n, gasLimit: 3n, data: '0xabcd' as Hex }
    const finalize = decodeCall(encodeFunctionData({ abi, functionName: 'finalizeWithdrawalTransaction', args: [withdrawal] }), abis)
    assert.deepEqual(textOf(finalize), [`_tx=[1, ${ALICE}, ${BOB}, 2, 3, 0xabcd]`])
  })

  it('tell a transfer of a fungible token from that of another by what is indexed', () => {
    const fungible = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)'])
    const single = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)'])
    const amount = encodeAbiParameters([{ type: 'uint256' }], [5n])
    const topicsOf = (abi: typeof fungible) => encodeEventTopics({ abi, eventName: 'Transfer', args: { from: ALICE, to: BOB } }) as Hex[]
    assert.deepEqual(textOf(decodeLog(topicsOf(fungible), amount, abis)), [`from=${ALICE}`, `to=${BOB}`, 'value=5'])
    const topics = encodeEventTopics({ abi: single, eventName: 'Transfer', args: { from: ALICE, to: BOB, tokenId: 9n } }) as Hex[]
    assert.deepEqual(textOf(decodeLog(topics, '0x', abis)), [`from=${ALICE}`, `to=${BOB}`, 'tokenId=9'])
  })

  it('give the reason of a revert', () => {
    const abi = parseAbi(['error Error(string message)'])
    assert.deepEqual(textOf(decodeError(encodeErrorResult({ abi, errorName: 'Error', args: ['no <b>funds</b>'] }), abis)), [
      'message=no <b>funds</b>',
    ])
  })

  it('show nothing for data that is unknown, cut or hostile', () => {
    const selector = toFunctionSelector('transfer(address,uint256)')
    for (const input of [
      '0x',
      '0x12',
      selector,
      `${selector}${'ff'.repeat(64)}`,
      `${selector}${'00'.repeat(40)}`,
      `0xdeadbeef${'00'.repeat(32)}`,
    ])
      assert.equal(decodeCall(input, abis), null, input.slice(0, 20))
    assert.equal(decodeLog([], '0x', abis), null)
    const path = `${toFunctionSelector('swapExactETHForTokens(uint256,address[],address,uint256)')}${'ff'.repeat(128)}`
    assert.equal(decodeCall(path, abis), null)
    assert.equal(functionName('0xdeadbeef', abis), '0xdeadbeef')
    assert.equal(functionName('0xa9059cbb', abis), 'transfer')
  })

  it('read declarations with names, without names, and with nested structures', () => {
    assert.deepEqual(parseDeclaration('f()'), { name: 'f', parameters: [] })
    assert.deepEqual(parseDeclaration('f(uint256,(address a,(bytes b)[] c)[2] pairs,bytes32 indexed topic)').parameters, [
      { name: '', type: 'uint256', indexed: false },
      { name: 'pairs', type: '(address,(bytes)[])[2]', indexed: false },
      { name: 'topic', type: 'bytes32', indexed: true },
    ])
  })
})
