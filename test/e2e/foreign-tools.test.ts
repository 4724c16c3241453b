import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AbiCoder, Contract, Interface, JsonRpcProvider, Wallet } from 'ethers'
import { encodeFunctionData, type PublicClient, parseAbi, parseEther } from 'viem'
import { getL2TransactionHashes, getWithdrawals } from 'viem/op-stack'
import { giveL1Multicall, viemClients } from '../support/bridge/viem-clients.ts'
import { type DevnetProcess, newDevnetFolder, startDevnet, withServices } from '../support/devnet-process.ts'
import { claimE2ePorts } from '../support/e2e-ports.ts'
import { eventually } from '../support/eventually.ts'
import { foundry, SOLC_FOR_FORGE } from '../support/foundry.ts'

const { offset: PORT_OFFSET } = await claimE2ePorts()
/** An estimate can be too low: the portal burns more gas as the L1 base fee falls. */
const DEPOSIT_GAS = 600_000n
const ORACLE = '0x420000000000000000000000000000000000000F'
const COUNTER = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

contract Counter {
    uint256 public count;
    event Counted(address indexed by, uint256 count);
    error TooFar(uint256 asked, uint256 most);

    constructor(uint256 start) {
        count = start;
    }

    function add(uint256 by) external {
        if (by > 10) revert TooFar(by, 10);
        count += by;
        emit Counted(msg.sender, count);
    }

    function history() external view returns (uint256 chain, uint256 number, bytes32 parent) {
        return (block.chainid, block.number, blockhash(block.number - 1));
    }
}
`

describe('third-party tools on the development network', () => {
  let devnet: DevnetProcess
  let project: string

  before(async () => {
    devnet = await startDevnet(newDevnetFolder(), PORT_OFFSET, withServices())
    project = mkdtempSync(join(tmpdir(), 'keelson-forge-'))
    mkdirSync(join(project, 'src'))
    writeFileSync(join(project, 'src', 'Counter.sol'), COUNTER)
    writeFileSync(join(project, 'foundry.toml'), '[profile.default]\nsrc = "src"\nevm_version = "cancun"\n')
  })
  after(async () => {
    await devnet?.remove()
    rmSync(project, { recursive: true, force: true })
  })

  const account = (i: number) => {
    const found = devnet.facts.accounts[i]
    assert.ok(found)
    return found
  }

  describe('viem/op-stack', () => {
    before(() => giveL1Multicall(devnet.facts))
    const clients = (i: number) => viemClients(devnet.facts, i)

    it('estimates the L1 fee, and the receipt shows the actual one', async () => {
      const { publicL2, walletL2, signer } = clients(0)
      const to = account(1).address
      const request = { account: signer, to, value: 1n, data: `0x${'ab'.repeat(200)}` as const, gas: 60_000n }
      const [l1Fee, l1Gas, l1BaseFee, operatorFee, totalFee, totalGas] = await Promise.all([
        publicL2.estimateL1Fee(request),
        publicL2.estimateL1Gas(request),
        publicL2.getL1BaseFee(),
        publicL2.estimateOperatorFee(request),
        publicL2.estimateTotalFee(request),
        publicL2.estimateTotalGas(request),
      ])
      assert.ok(l1Fee > 0n && l1Gas > 0n && l1BaseFee > 0n)
      assert.equal(operatorFee, 0n)
      assert.ok(totalFee > l1Fee && totalGas > l1Gas)
      const receipt = await publicL2.waitForTransactionReceipt({ hash: await walletL2.sendTransaction(request) })
      assert.equal(receipt.status, 'success')
      const paid = (receipt as unknown as { l1Fee: bigint | null }).l1Fee
      assert.ok(paid !== null && paid > 0n)
      assert.ok(l1Fee < 3n * paid && paid < 3n * l1Fee, `estimated ${l1Fee}, paid ${paid}`)
    })

    it('deposits from L1 and computes the hash of the L2 transaction', async () => {
      const { publicL1, publicL2, walletL1, signer, l2Chain } = clients(2)
      const to = '0x00000000000000000000000000000000000d0518'
      const request = await publicL2.buildDepositTransaction({
        account: signer,
        mint: parseEther('1'),
        to,
        value: parseEther('0.25'),
        gas: 100_000n,
      })
      const l1Hash = await walletL1.depositTransaction({ ...request, gas: DEPOSIT_GAS, account: signer, targetChain: l2Chain } as never)
      const l1Receipt = await publicL1.waitForTransactionReceipt({ hash: l1Hash })
      assert.equal(l1Receipt.status, 'success')
      const [hash] = getL2TransactionHashes(l1Receipt)
      assert.ok(hash)
      const receipt = await publicL2.waitForTransactionReceipt({ hash, timeout: 240_000 })
      assert.equal(receipt.status, 'success')
      assert.equal(receipt.from.toLowerCase(), signer.address.toLowerCase())
      assert.equal(await publicL2.getBalance({ address: to }), parseEther('0.25'))
      const transaction = await publicL2.getTransaction({ hash })
      assert.equal(transaction.typeHex, '0x7e')
      assert.equal((transaction as unknown as { mint: bigint }).mint, parseEther('1'))
    })

    it('withdraws to L1: initiates, waits, proves against the output root and finalizes', async () => {
      const { publicL1, publicL2, walletL1, walletL2, signer, l2Chain } = clients(3)
      const to = '0x00000000000000000000000000000000000d0519'
      const value = parseEther('5000')
      const initiation = await publicL1.buildInitiateWithdrawal({ account: signer, to, value })
      const receipt = await publicL2.waitForTransactionReceipt({ hash: await walletL2.initiateWithdrawal(initiation as never) })
      assert.equal(receipt.status, 'success')
      assert.equal(getWithdrawals(receipt).length, 1)
      const status = () => publicL1.getWithdrawalStatus({ receipt, targetChain: l2Chain as never })
      assert.equal(await status(), 'waiting-to-prove')
      // viem asks for the latest output, which exists only after a proposal.
      const oracle = devnet.facts.contracts.L2OutputOracle as `0x${string}`
      const abi = parseAbi(['function latestOutputIndex() view returns (uint256)'])
      await eventually('the first output', () =>
        publicL1.readContract({ address: oracle, abi, functionName: 'latestOutputIndex' }).then(
          () => true,
          () => false,
        ),
      )
      const { seconds } = await publicL1.getTimeToProve({ receipt, targetChain: l2Chain as never })
      assert.ok(seconds >= 0 && seconds < 600, `${seconds} s to the next output`)

      const { output, withdrawal } = await publicL1.waitToProve({ receipt, targetChain: l2Chain as never, pollingInterval: 500 })
      assert.ok(output.l2BlockNumber >= receipt.blockNumber)
      assert.equal(await status(), 'ready-to-prove')
      const proof = await publicL2.buildProveWithdrawal({ account: signer, output, withdrawal })
      const proven = await walletL1.proveWithdrawal({ ...proof, account: signer, targetChain: l2Chain } as never)
      assert.equal((await publicL1.waitForTransactionReceipt({ hash: proven })).status, 'success')
      assert.notEqual(await status(), 'ready-to-prove')

      await publicL1.waitToFinalize({ withdrawalHash: withdrawal.withdrawalHash, targetChain: l2Chain as never })
      await waitUntilReady(publicL1, status)
      const finalized = await walletL1.finalizeWithdrawal({ account: signer, targetChain: l2Chain, withdrawal } as never)
      assert.equal((await publicL1.waitForTransactionReceipt({ hash: finalized })).status, 'success')
      assert.equal(await status(), 'finalized')
      assert.equal(await publicL1.getBalance({ address: to }), value)
    })

    /** viem uses the local clock; the portal uses the next L1 block's time. */
    async function waitUntilReady(
      l1: { waitForTransactionReceipt: unknown } & Pick<PublicClient, 'watchBlockNumber'>,
      status: () => Promise<string>,
    ) {
      await new Promise<void>((resolve, reject) => {
        const stop = l1.watchBlockNumber({
          onBlockNumber: () =>
            status().then((now) => {
              if (now !== 'ready-to-finalize') return
              stop()
              resolve()
            }, reject),
          onError: reject,
          poll: true,
        })
      })
    }

    it('calls the gas price oracle, and reads the network at an EIP-1898 block', async () => {
      const { publicL2 } = clients(0)
      const abi = parseAbi(['function l1BaseFee() view returns (uint256)', 'function getL1Fee(bytes) view returns (uint256)'])
      const block = await publicL2.getBlock()
      const l1BaseFee = await publicL2.readContract({ address: ORACLE, abi, functionName: 'l1BaseFee', blockNumber: block.number })
      assert.ok(l1BaseFee > 0n)
      const data = encodeFunctionData({ abi, functionName: 'getL1Fee', args: [`0x${'cd'.repeat(100)}`] })
      const answer = await publicL2.request({ method: 'eth_call', params: [{ to: ORACLE, data }, { blockHash: block.hash }] } as never)
      assert.ok(BigInt(answer as string) > 0n)
      assert.ok((await publicL2.getGasPrice()) > 0n)
    })
  })

  describe('forge and cast', () => {
    const rpc = () => ['--rpc-url', devnet.facts.l2.rpcUrl]
    const key = () => ['--private-key', account(5).privateKey]
    let deployedTo: string

    it('forge create deploys exactly the compiled code', async () => {
      const created = JSON.parse(
        await foundry(
          'forge',
          [
            'create',
            'src/Counter.sol:Counter',
            '--use',
            SOLC_FOR_FORGE,
            '--offline',
            '--broadcast',
            '--json',
            ...rpc(),
            ...key(),
            '--constructor-args',
            '5',
          ],
          { cwd: project },
        ),
      )
      assert.equal(created.deployer.toLowerCase(), account(5).address.toLowerCase())
      deployedTo = created.deployedTo
      const receipt = JSON.parse(await foundry('cast', ['receipt', created.transactionHash, '--json', ...rpc()]))
      assert.equal(receipt.status, '0x1')
      assert.equal(receipt.contractAddress.toLowerCase(), deployedTo.toLowerCase())
      const artifact = JSON.parse(readFileSync(join(project, 'out', 'Counter.sol', 'Counter.json'), 'utf8'))
      assert.equal(await foundry('cast', ['code', deployedTo, ...rpc()]), artifact.deployedBytecode.object)
    })

    it('cast sends, calls, reads storage and logs, estimates, traces and decodes a custom error', async () => {
      const sent = JSON.parse(await foundry('cast', ['send', deployedTo, 'add(uint256)', '7', '--json', ...key(), ...rpc()]))
      assert.equal(sent.status, '0x1')
      assert.equal(await foundry('cast', ['call', deployedTo, 'count()(uint256)', ...rpc()]), '12')
      assert.equal(BigInt(await foundry('cast', ['storage', deployedTo, '0', ...rpc()])), 12n)
      const logs = JSON.parse(
        await foundry('cast', [
          'logs',
          '--address',
          deployedTo,
          '--from-block',
          '0',
          'Counted(address indexed,uint256)',
          '--json',
          ...rpc(),
        ]),
      )
      assert.equal(logs.length, 1)
      assert.ok(Number(await foundry('cast', ['estimate', deployedTo, 'add(uint256)', '1', ...rpc()])) > 21_000)
      const trace = JSON.parse(
        await foundry('cast', ['rpc', 'debug_traceTransaction', sent.transactionHash, '{"tracer":"callTracer"}', ...rpc()]),
      )
      assert.equal(trace.to.toLowerCase(), deployedTo.toLowerCase())
      await assert.rejects(foundry('cast', ['call', deployedTo, 'add(uint256)', '11', ...rpc()]), (error: { stderr: string }) => {
        assert.match(error.stderr, /TooFar|0x[0-9a-f]{8}|revert/)
        return true
      })
      const proof = JSON.parse(await foundry('cast', ['proof', deployedTo, '0', ...rpc()]))
      assert.equal(BigInt(proof.storageProof[0].value), 12n)
      const header = JSON.parse(await foundry('cast', ['block', 'latest', '--json', ...rpc()]))
      assert.equal(header.hash.length, 66)
    })

    it('ethers reads the deployed contract: views, filtered events, a custom error by name, a typed transaction', async () => {
      const provider = new JsonRpcProvider(devnet.facts.l2.rpcUrl, undefined, { pollingInterval: 100 })
      try {
        const abi = new Interface([
          'function add(uint256)',
          'function count() view returns (uint256)',
          'function history() view returns (uint256, uint256, bytes32)',
          'event Counted(address indexed by, uint256 count)',
          'error TooFar(uint256 asked, uint256 most)',
        ])
        const wallet = new Wallet(account(6).privateKey, provider)
        const counter = new Contract(deployedTo, abi, wallet)
        const block = await provider.getBlock('latest')
        assert.ok(block)
        const [chainId, number, parent] = await counter.getFunction('history')({ blockTag: block.number })
        assert.deepEqual([Number(chainId), Number(number), parent], [devnet.facts.l2.chainId, block.number, block.parentHash])
        const accessListed = await wallet.sendTransaction({
          type: 1,
          to: deployedTo,
          data: abi.encodeFunctionData('add', [2]),
          accessList: [{ address: deployedTo, storageKeys: [AbiCoder.defaultAbiCoder().encode(['uint256'], [0])] }],
        })
        assert.equal((await accessListed.wait())?.status, 1)
        assert.equal(await counter.getFunction('count')(), 14n)
        assert.equal((await counter.queryFilter(counter.getEvent('Counted')(wallet.address))).length, 1)
        await assert.rejects(counter.getFunction('add').staticCall(99), (error: { revert?: { name: string; args: readonly bigint[] } }) => {
          assert.deepEqual([error.revert?.name, [...(error.revert?.args ?? [])]], ['TooFar', [99n, 10n]])
          return true
        })
        await assert.rejects(counter.getFunction('add').estimateGas(99), { code: 'CALL_EXCEPTION' })
      } finally {
        provider.destroy()
      }
    })
  })
})
