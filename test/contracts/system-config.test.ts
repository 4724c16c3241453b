import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { applySystemConfigLog } from '@keelson/derivation'
import { hexToBytes, type Log, type SystemConfig, toAddress, toHash } from '@keelson/primitives'
import { type Address, getAddress, type Hex, keccak256, pad, stringToHex, toHex, zeroAddress } from 'viem'
import { CONTRACT_CHAINS, type ContractChain, type Outcome, type OwnContract, readOwnContract } from '../support/contract-chain.ts'

const { abi } = readOwnContract('SystemConfig')
const ARTIFACTS = join(import.meta.dirname, '../../packages/contracts/artifacts')
const proxyArtifact = JSON.parse(readFileSync(join(ARTIFACTS, 'Proxy.json'), 'utf8')) as OwnContract
const ADMIN = 0
const OWNER = 1
const STRANGER = 2
const BATCHER = '0x1111111111111111111111111111111111111111'
const SIGNER = '0x2222222222222222222222222222222222222222'
const INBOX = '0x3333333333333333333333333333333333333333'
const RESOURCES = {
  maxResourceLimit: 20_000_000,
  elasticityMultiplier: 10,
  baseFeeMaxChangeDenominator: 8,
  minimumBaseFee: 1_000_000_000,
  systemTxMaxGas: 1_000_000,
  maximumBaseFee: 2n ** 128n - 1n,
}
const ADDRESSES = {
  l1CrossDomainMessenger: `0x${'a1'.repeat(20)}`,
  l1ERC721Bridge: `0x${'a2'.repeat(20)}`,
  l1StandardBridge: `0x${'a3'.repeat(20)}`,
  disputeGameFactory: `0x${'a4'.repeat(20)}`,
  optimismPortal: `0x${'a5'.repeat(20)}`,
  optimismMintableERC20Factory: `0x${'a6'.repeat(20)}`,
  gasPayingToken: zeroAddress,
} as const

const NOTHING: SystemConfig = {
  batcherAddress: toAddress(zeroAddress),
  overhead: new Uint8Array(32),
  scalar: new Uint8Array(32),
  gasLimit: 0n,
  eip1559Params: new Uint8Array(8),
  operatorFeeScalar: 0,
  operatorFeeConstant: 0n,
  minBaseFeeWei: 0n,
  daFootprintGasScalar: 0,
}

function derive({ logs }: Outcome, before: SystemConfig = NOTHING): SystemConfig {
  const topic = keccak256(stringToHex('ConfigUpdate(uint256,uint8,bytes)'))
  return logs
    .filter(({ topics }) => topics[0] === topic)
    .map(({ address, topics, data }): Log => ({ address: toAddress(address), topics: topics.map(toHash), data: hexToBytes(data) }))
    .reduce((config, log) => applySystemConfigLog(config, log, { versionedFeeScalars: true }), before)
}

const scalarOf = (base: number, blob: number): Uint8Array =>
  hexToBytes(toHex((1n << 248n) | (BigInt(blob) << 32n) | BigInt(base), { size: 32 }))

for (const { name, open } of CONTRACT_CHAINS) {
  describe(`the contract SystemConfig on ${name}`, () => {
    let chain: ContractChain
    let implementation: Address
    let config: Address
    before(async () => {
      chain = await open()
      implementation = await chain.deploy(readOwnContract('SystemConfig'))
    })
    after(() => chain.stop())
    const owner = () => chain.accounts[OWNER]?.address as Address
    const send = (from: number, method: string, args: readonly unknown[], to = config) => chain.send({ from, to, abi, name: method, args })
    const read = (functionName: string) => chain.reader.readContract({ address: config, abi, functionName })
    const refusal = async (method: string, args: readonly unknown[], from = OWNER) => (await send(from, method, args)).reverted
    const initialize = (
      from = ADMIN,
      changes: { gasLimit?: bigint; resources?: object; token?: Address; batcher?: Hex; owner?: Address } = {},
    ) =>
      send(from, 'initialize', [
        changes.owner ?? owner(),
        1368,
        810_949,
        changes.batcher ?? pad(BATCHER),
        changes.gasLimit ?? 30_000_000n,
        SIGNER,
        { ...RESOURCES, ...changes.resources },
        INBOX,
        { ...ADDRESSES, gasPayingToken: changes.token ?? zeroAddress },
      ])
    async function place(): Promise<void> {
      config = await chain.deploy(proxyArtifact, [chain.accounts[ADMIN]?.address])
      const placed = await chain.send({ from: ADMIN, to: config, abi: proxyArtifact.abi, name: 'upgradeTo', args: [implementation] })
      assert.equal(placed.reverted, null)
    }

    describe('initialisation', () => {
      beforeEach(place)

      it('stores its arguments and emits updates of the first four kinds only', async () => {
        const begun = await initialize()
        assert.equal(begun.reverted, null)
        assert.deepEqual(derive(begun), {
          ...NOTHING,
          batcherAddress: BATCHER,
          scalar: scalarOf(1368, 810_949),
          gasLimit: 30_000_000n,
        })
        const kinds = begun.logs
          .filter(({ topics }) => topics.length === 3 && BigInt(topics[1] as Hex) === 0n)
          .map(({ topics }) => Number(topics[2]))
        assert.deepEqual(kinds.slice(-4), [0, 1, 2, 3])
        assert.equal(await read('owner'), owner())
        assert.equal(await read('unsafeBlockSigner'), SIGNER)
        assert.equal(await read('batchInbox'), INBOX)
        assert.equal(await read('startBlock'), BigInt(chain.height()))
        for (const [getter, address] of Object.entries(ADDRESSES)) {
          if (getter !== 'gasPayingToken') assert.equal(await read(getter), getAddress(address), getter)
        }
        assert.deepEqual(await read('resourceConfig'), RESOURCES)
        assert.deepEqual(await read('gasPayingToken'), ['0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE', 18])
        assert.deepEqual([await read('minimumGasLimit'), await read('maximumGasLimit')], [21_000_000n, 200_000_000n])
        for (const unset of ['eip1559Denominator', 'eip1559Elasticity', 'operatorFeeScalar', 'minBaseFee', 'daFootprintGasScalar'])
          assert.equal(Number(await read(unset)), 0, unset)
      })

      it('succeeds once, only through the proxy and its admin', async () => {
        assert.equal((await initialize(STRANGER)).reverted, `NotProxyAdmin(${chain.accounts[STRANGER]?.address})`)
        assert.equal((await initialize(ADMIN, { owner: zeroAddress })).reverted, 'NoOwner()')
        assert.equal((await initialize()).reverted, null)
        assert.equal((await initialize()).reverted, 'AlreadyInitialized()')
        config = implementation
        assert.equal((await initialize()).reverted, 'AlreadyInitialized()')
      })

      it('rejects an invalid resource config and a custom gas token', async () => {
        for (const [resources, reason] of [
          [{ minimumBaseFee: 5, maximumBaseFee: 4n }, 'minimumBaseFee'],
          [{ baseFeeMaxChangeDenominator: 1 }, 'baseFeeMaxChangeDenominator'],
          [{ elasticityMultiplier: 0 }, 'elasticityMultiplier'],
          [{ maxResourceLimit: 20_000_001 }, 'maxResourceLimit'],
          [{ systemTxMaxGas: 999_999 }, 'systemTxMaxGas'],
        ] as const) {
          assert.equal((await initialize(ADMIN, { resources })).reverted, `BadResourceConfig(${reason})`)
        }
        assert.equal((await initialize(ADMIN, { gasLimit: 20_999_999n })).reverted, 'GasLimitOutOfRange(20999999,21000000,200000000)')
        assert.equal((await initialize(ADMIN, { token: SIGNER })).reverted, `GasPayingTokenNotSupported(${SIGNER})`)
        assert.equal((await initialize()).reverted, null)
      })
    })

    describe('a setting', () => {
      before(async () => {
        await place()
        assert.equal((await initialize()).reverted, null)
      })

      async function set(method: string, args: readonly unknown[]): Promise<Partial<SystemConfig>> {
        const outcome = await send(OWNER, method, args)
        assert.deepEqual([outcome.reverted, outcome.logs.length], [null, 1])
        const after = derive(outcome)
        return Object.fromEntries(Object.entries(after).filter(([key, value]) => value !== NOTHING[key as keyof SystemConfig]))
      }

      it('is derived from its events', async () => {
        const other = `0x${'44'.repeat(20)}` as const
        assert.deepEqual(await set('setBatcherHash', [pad(other)]), { batcherAddress: other })
        assert.equal(await read('batcherHash'), pad(other))
        assert.deepEqual((await set('setGasConfigEcotone', [5, 6])).scalar, scalarOf(5, 6))
        assert.deepEqual([await read('basefeeScalar'), await read('blobbasefeeScalar')], [5, 6])
        assert.deepEqual(await set('setGasLimit', [21_000_000n]), { gasLimit: 21_000_000n })
        assert.deepEqual(await set('setGasLimit', [200_000_000n]), { gasLimit: 200_000_000n })
        assert.deepEqual(await set('setEIP1559Params', [0x01020304, 0x000a0b0c]), { eip1559Params: hexToBytes('0x01020304000a0b0c') })
        assert.deepEqual([await read('eip1559Denominator'), await read('eip1559Elasticity')], [0x01020304, 0x000a0b0c])
        assert.deepEqual(await set('setOperatorFeeScalars', [4_294_967_295, 10n ** 18n]), {
          operatorFeeScalar: 4_294_967_295,
          operatorFeeConstant: 10n ** 18n,
        })
        assert.deepEqual([await read('operatorFeeScalar'), await read('operatorFeeConstant')], [4_294_967_295, 10n ** 18n])
        assert.deepEqual(await set('setMinBaseFee', [10n ** 13n]), { minBaseFeeWei: 10n ** 13n })
        assert.equal(await read('minBaseFee'), 10n ** 13n)
        assert.deepEqual(await set('setDAFootprintGasScalar', [65_535]), { daFootprintGasScalar: 65_535 })
        assert.equal(await read('daFootprintGasScalar'), 65_535)
      })

      it('of the block signer is stored where nodes read it', async () => {
        await set('setUnsafeBlockSigner', [BATCHER])
        const slot = keccak256(stringToHex('systemconfig.unsafeblocksigner'))
        assert.equal(await chain.reader.getStorageAt({ address: config, slot }), pad(BATCHER))
      })

      it('is rejected when nodes could not parse it or the chain could not operate with it', async () => {
        const notAnAddress = pad('0x01', { dir: 'right' })
        assert.equal(await refusal('setBatcherHash', [notAnAddress]), `NotABatcherAddress(${notAnAddress})`)
        assert.equal(await refusal('setGasConfig', [0n, 1n << 248n]), `ScalarHasVersion(${1n << 248n})`)
        assert.equal(await refusal('setGasLimit', [200_000_001n]), 'GasLimitOutOfRange(200000001,21000000,200000000)')
        assert.equal(await refusal('setEIP1559Params', [0, 6]), 'Eip1559OutOfRange(0,6)')
        assert.equal(await refusal('setEIP1559Params', [250, 0]), 'Eip1559OutOfRange(250,0)')
        assert.equal(await refusal('setEIP1559Params', [250, 1_000_001]), 'Eip1559OutOfRange(250,1000001)')
        assert.equal(await refusal('setOperatorFeeScalars', [0, 10n ** 18n + 1n]), `OperatorFeeTooHigh(${10n ** 18n + 1n},${10n ** 18n})`)
        assert.equal(await refusal('setMinBaseFee', [10n ** 13n + 1n]), `MinBaseFeeTooHigh(${10n ** 13n + 1n},${10n ** 13n})`)
      })

      it('is accepted only from the owner, who can transfer the ownership', async () => {
        const [stranger, next] = [chain.accounts[STRANGER]?.address, chain.accounts[STRANGER + 1]?.address]
        for (const [method, args] of [
          ['setBatcherHash', [pad(SIGNER)]],
          ['setGasConfig', [1n, 1n]],
          ['setGasConfigEcotone', [1, 1]],
          ['setGasLimit', [30_000_000n]],
          ['setUnsafeBlockSigner', [SIGNER]],
          ['setEIP1559Params', [1, 1]],
          ['setOperatorFeeScalars', [1, 1n]],
          ['setMinBaseFee', [1n]],
          ['setDAFootprintGasScalar', [1]],
          ['transferOwnership', [stranger]],
          ['renounceOwnership', []],
        ] as const) {
          assert.equal(await refusal(method, args, STRANGER), `NotOwner(${stranger},${owner()})`, method)
        }
        assert.equal(await refusal('transferOwnership', [zeroAddress]), 'NoOwner()')
        assert.equal(await refusal('transferOwnership', [next]), null)
        assert.equal(await refusal('setMinBaseFee', [1n]), `NotOwner(${owner()},${next})`)
        assert.equal(await refusal('renounceOwnership', [], STRANGER + 1), null)
        assert.equal(await refusal('setMinBaseFee', [1n], STRANGER + 1), `NotOwner(${next},${zeroAddress})`)
      })
    })
  })
}
