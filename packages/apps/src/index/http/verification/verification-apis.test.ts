/**
 * The requests are those that forge 1.7 (foundry-block-explorers) and hardhat-verify 3.1 send, and the words are those that they
 * look for in answers. https://docs.etherscan.io, https://docs.sourcify.dev
 */
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { type Address, type Hex, hexToBytes, toAddress } from '@keelson/primitives'
import { createManualClock, createMetrics, createSilentLogger, type IpNetwork, type ManualClock, parseIpNetwork } from '@keelson/runtime'
import { eventually } from '../../../../../../test/support/eventually.ts'
import {
  contract,
  type IndexedWorld,
  openIndexedWorld,
  openTestIndex,
  type TestIndex,
} from '../../../../../../test/support/index/index-world.ts'
import { createLiveState } from '../../chain/live-state.ts'
import type { Database } from '../../storage/database.ts'
import { openMemoryPglite } from '../../storage/open-pglite.ts'
import { BUNDLED_COMPILER, createCompilers } from '../../verify/compilers/compilers.ts'
import { createProjectContracts } from '../../verify/project-contracts.ts'
import { createIndexHttp, type IndexHttp } from '../index-http.ts'
import { MAX_VERIFY_BYTES } from './contract-verification.ts'

const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string }
const FILE = 'src/Box.sol'
const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;
contract Box { uint public immutable first; constructor(uint a) { first = a; } }
contract Plain { function answer() external pure returns (uint) { return 42; } }
contract Other { function answer() external pure returns (uint) { return 43; } }
`
const INPUT = {
  language: 'Solidity',
  sources: { [FILE]: { content: SOURCE } },
  settings: {
    remappings: [],
    optimizer: { enabled: true, runs: 200 },
    metadata: { useLiteralContent: false, bytecodeHash: 'ipfs', appendCBOR: true },
    outputSelection: { '*': { '': ['ast'], '*': ['abi', 'evm.bytecode'] } },
    evmVersion: 'paris',
    viaIR: false,
    libraries: {},
  },
}
const WORD_OF_7 = '07'.padStart(64, '0')
const UNKNOWN = '8b5f4b9e-0000-4000-8000-000000000000'
const AGENTS = toAddress(`0x${'a9'.repeat(20)}`)
const PROJECT = createProjectContracts([
  {
    contract: { name: 'Agents', origin: 'a test', file: 'Agents.sol', sources: { 'Agents.sol': '// source' }, abi: [] },
    code: hexToBytes('0x6001'),
  },
])

describe('the verification APIs of Etherscan and Sourcify', function () {
  this.timeout(60_000)
  let world: IndexedWorld
  let db: Database
  let index: TestIndex
  let http: IndexHttp
  let clock: ManualClock
  let codes: Readonly<Record<string, { readonly evm: { readonly bytecode: { readonly object: string } } }>>
  let box: Address
  let plain: Address
  let caller = 0

  const deploy = async (name: string, constructorArguments = ''): Promise<Address> => {
    const data: Hex = `0x${codes[name]?.evm.bytecode.object}${constructorArguments}`
    const block = await world.mine([{ from: 0, to: null, data }])
    return (await world.execution.call('eth_getTransactionReceipt', block.transactions.at(-1)?.hash as Hex)).contractAddress
  }
  // biome-ignore lint/suspicious/noExplicitAny: JSON of any shape, picked apart by the test
  type Answer = { status: number; body: any }
  const send = async (path: string, init: RequestInit = {}, from = `192.0.${++caller}.1`): Promise<Answer> => {
    const { port } = http.app.server.address() as AddressInfo
    const headers = { ...init.headers, 'x-forwarded-for': from }
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers })
    return { status: response.status, body: await response.json() }
  }
  const etherscan = async (fields: Record<string, string>) =>
    (await send(`/api?${new URLSearchParams({ module: 'contract', ...fields })}`)).body
  const form = (address: string, fields: Record<string, string> = {}) => ({
    module: 'contract',
    action: 'verifysourcecode',
    apikey: 'any',
    contractaddress: address,
    sourceCode: JSON.stringify(INPUT),
    codeformat: 'solidity-standard-json-input',
    contractname: `${FILE}:Plain`,
    compilerversion: `v${BUNDLED_COMPILER}`,
    ...fields,
  })
  const postForm = (fields: Record<string, string>, from?: string) =>
    send('/api', { method: 'POST', body: new URLSearchParams(fields) }, from)
  const postJson = (path: string, body: object) =>
    send(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  const statusOf = (guid: string) =>
    eventually('the end of a verification', async () => {
      const answer = await etherscan({ action: 'checkverifystatus', guid })
      return answer.result === 'Pending in queue' ? null : answer
    })
  const jobOf = (id: string) =>
    eventually('the end of a verification', async () => {
      const answer = await send(`/sourcify/v2/verify/${id}`)
      return answer.body.isJobCompleted ? answer : null
    })
  const chain = () => world.execution.chainId.toString()

  before(async () => {
    const settings = { ...INPUT.settings, outputSelection: { '*': { '*': ['evm.bytecode.object'] } } }
    codes = JSON.parse(solc.compile(JSON.stringify({ ...INPUT, settings }))).contracts[FILE]
    db = await openMemoryPglite()
    world = await openIndexedWorld([contract(AGENTS, hexToBytes('0x6001'))])
    index = await openTestIndex(world, db)
    box = await deploy('Box', WORD_OF_7)
    plain = await deploy('Plain')
    await index.follower.step()
  })
  beforeEach(async () => {
    await db.query('delete from verified_contracts')
    clock = createManualClock(0)
    const log = createSilentLogger()
    const access = { trusted: [], proxies: [parseIpNetwork('127.0.0.1') as IpNetwork] }
    const rate = { perSec: 100_000, burst: 100_000 }
    http = createIndexHttp(
      { host: '127.0.0.1', port: 0, virtualHosts: [], corsOrigins: [], rate, ...access },
      {
        database: db,
        live: createLiveState(world.rpc),
        projectContracts: PROJECT,
        compilers: createCompilers({ folder: '', published: [] }, { clock, log }),
        follower: index.follower,
        l1: null,
        chainId: world.execution.chainId,
        clock,
        log,
        metrics: createMetrics('index'),
      },
    )
    await http.start(new AbortController().signal)
  })
  afterEach(() => http.stop())
  after(async () => {
    await world.stop()
    await db.close()
  })

  it('verify what forge and Hardhat send to Etherscan, and answer its source', async () => {
    assert.deepEqual(await etherscan({ action: 'getabi', address: box }), {
      status: '0',
      message: 'NOTOK',
      result: 'Contract source code not verified',
    })
    const sent = await postForm({ ...form(box), contractname: `${FILE}:Box`, constructorArguements: WORD_OF_7, chainid: chain() })
    assert.deepEqual([sent.status, sent.body.status, sent.body.message], [200, '1', 'OK'], sent.body.result)
    assert.deepEqual(await statusOf(sent.body.result), { status: '1', message: 'OK', result: 'Pass - Verified' })
    const { result } = await etherscan({ action: 'getsourcecode', address: box, apikey: 'any' })
    const [{ SourceCode, ABI, ContractName, CompilerVersion, ConstructorArguments, OptimizationUsed, Runs, EVMVersion }] = result
    assert.deepEqual(
      [ContractName, CompilerVersion, ConstructorArguments, OptimizationUsed, Runs, EVMVersion],
      ['Box', `v${BUNDLED_COMPILER}`, WORD_OF_7, '1', '200', 'paris'],
    )
    assert.deepEqual(JSON.parse(SourceCode.slice(1, -1)).sources, INPUT.sources)
    assert.equal(JSON.parse(ABI).find(({ type }: { type: string }) => type === 'function').name, 'first')
    assert.match((await postForm(form(box))).body.result, /^Contract source code already verified/)
  })

  it('verify what forge and Hardhat send to Sourcify', async () => {
    const path = `/sourcify/v2/contract/${chain()}/${plain}`
    const before = await send(path)
    assert.deepEqual([before.status, before.body.match], [404, null])
    const body = { stdJsonInput: INPUT, compilerVersion: BUNDLED_COMPILER, contractIdentifier: `${FILE}:Plain` }
    const sent = await postJson(`/sourcify/v2/verify/${chain()}/${plain}`, body)
    assert.equal(sent.status, 202, JSON.stringify(sent.body))
    const matches = { match: 'exact_match', creationMatch: 'exact_match', runtimeMatch: 'exact_match', chainId: chain(), address: plain }
    assert.deepEqual((await jobOf(sent.body.verificationId)).body.contract, matches)
    const { status, body: found } = await send(`${path}?fields=abi,compilation`)
    assert.deepEqual([status, found.compilation.fullyQualifiedName, found.sources], [200, `${FILE}:Plain`, undefined])
    assert.equal(found.abi[0].name, 'answer')
    const again = await postJson(`/sourcify/v2/verify/${chain()}/${plain}`, body)
    assert.deepEqual([again.status, again.body.customCode], [409, 'already_verified'])
  })

  it('wait for the block of a contract that is verified right after its creation', async () => {
    const fresh = await deploy('Other')
    const { body } = await postForm({ ...form(fresh), contractname: `${FILE}:Other` })
    assert.equal((await etherscan({ action: 'checkverifystatus', guid: body.result })).result, 'Pending in queue')
    while (clock.sleepers.length === 0) await new Promise<void>((resolve) => setImmediate(resolve))
    await index.follower.step()
    await clock.advance(250)
    assert.equal((await statusOf(body.result)).result, 'Pass - Verified')
    assert.equal((await send(`/sourcify/v2/contract/${chain()}/${fresh}`)).body.creationMatch, 'exact_match')
  })

  it('let one caller have two verifications that run, and say so in the words after which clients wait', async () => {
    const from = '198.51.100.7'
    const broken = { ...form(plain), sourceCode: JSON.stringify({ ...INPUT, sources: { [FILE]: { content: 'x' } } }) }
    const [first, second, third] = [await postForm(broken, from), await postForm(broken, from), await postForm(broken, from)]
    assert.deepEqual([first?.body.status, second?.body.status, third?.body.status], ['1', '1', '0'])
    assert.match(third?.body.result, /^Max rate limit reached/)
    assert.equal((await postForm(broken, '198.51.100.8')).body.status, '1', 'another caller')
    assert.match((await statusOf(first?.body.result)).result, /^Fail - Unable to verify: .*ParserError/s)
    assert.equal((await postForm(broken, from)).body.status, '1', 'when one of them has ended')
  })

  it('refuse in the form of Etherscan, with the status 200, what cannot be verified', async () => {
    for (const [expected, fields] of [
      [/^Unsupported chainid "1": this is chain/, { ...form(plain), chainid: '1' }],
      [/^Error! Missing Or invalid Action name/, { ...form(plain), action: 'verify' }],
      [/^Error! Missing Or invalid Action name/, { ...form(plain), module: 'account' }],
      [/^Error! Missing Or invalid Action name/, {}],
      [/^Unable to locate ContractCode at 0xee/, form(`0x${'ee'.repeat(20)}`)],
      [/^Error! got "0x12"; expected an address/, form('0x12')],
      [/^Error! codeformat: got "vyper-json"/, { ...form(plain), codeformat: 'vyper-json' }],
      [/^Error! sourceCode is not JSON/, { ...form(plain), sourceCode: '{' }],
      [/^Error! sourceCode: got \d+ characters/, { ...form(plain), sourceCode: ' '.repeat(MAX_VERIFY_BYTES + 1) }],
      [/^Error! compilerVersion: got "v0.4.26/, { ...form(plain), compilerversion: 'v0.4.26+commit.4563c3fc' }],
      [/^Error! contractname: got "Plain.sol:Plain"/, { ...form(plain), contractname: 'Plain.sol:Plain' }],
      [/^Error! constructorArguments is not accepted/, { ...form(plain), constructorArguements: 'xyz' }],
      [/^Error! the form has too many fields/, Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`a${i}`, '']))],
    ] as const) {
      const { status, body } = await postForm(fields)
      assert.deepEqual([status, body.status, body.message], [200, '0', 'NOTOK'])
      assert.match(body.result, expected)
    }
    assert.match((await etherscan({ action: 'verifysourcecode' })).result, /is sent with POST/)
    assert.match((await etherscan({ action: 'checkverifystatus', guid: UNKNOWN })).result, /^Unknown UID/)
  })

  it('refuse in the form of Sourcify what cannot be verified', async () => {
    const body = { stdJsonInput: INPUT, compilerVersion: BUNDLED_COMPILER, contractIdentifier: `${FILE}:Plain` }
    for (const [status, code, answer] of [
      [400, 'unsupported_chain', await postJson(`/sourcify/v2/verify/1/${plain}`, body)],
      [400, 'invalid_parameter', await postJson(`/sourcify/v2/verify/${chain()}/0x12`, body)],
      [400, 'invalid_parameter', await postJson(`/sourcify/v2/verify/${chain()}/${plain}`, { ...body, compilerVersion: '0.4.26' })],
      [400, 'invalid_parameter', await postJson(`/sourcify/v2/verify/${chain()}/${plain}`, { ...body, files: {} })],
      [400, 'unsupported_chain', await send(`/sourcify/v2/contract/1/${plain}`)],
      [404, 'job_not_found', await send(`/sourcify/v2/verify/${UNKNOWN}`)],
    ] as const) {
      assert.deepEqual([answer.status, answer.body.customCode, typeof answer.body.errorId], [status, code, 'string'], answer.body.message)
    }
  })

  it('know the contracts of the project and who created a contract', async () => {
    const [{ SourceCode, ContractName }] = (await etherscan({ action: 'getsourcecode', address: AGENTS })).result
    assert.deepEqual([ContractName, JSON.parse(SourceCode.slice(1, -1)).sources['Agents.sol'].content], ['Agents', '// source'])
    const [unknown] = (await etherscan({ action: 'getsourcecode', address: plain })).result
    assert.deepEqual([unknown.SourceCode, unknown.ABI], ['', 'Contract source code not verified'])
    const { result } = await etherscan({ action: 'getcontractcreation', contractaddresses: `${box},${AGENTS}` })
    assert.deepEqual(
      result.map((row: { contractAddress: string; contractCreator: string }) => [row.contractAddress, row.contractCreator]),
      [[box, world.execution.accounts[0]?.address]],
    )
  })
})
