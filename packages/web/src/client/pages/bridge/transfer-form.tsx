import { BRIDGE_GAS_LIMIT, encodeBridgeEthTo, MINIMUM_DEPOSIT_WEI } from '@keelson/contracts/bridge'
import { bytesToHex, L2_STANDARD_BRIDGE, toAddress } from '@keelson/primitives'
import { type FormEvent, useState } from 'react'
import { useConfig } from '../../data/config.ts'
import { type Layer, rpcOn } from '../../data/rpc.ts'
import { useQuery } from '../../data/use-query.ts'
import { sendWithWallet, type Wallet } from '../../data/wallet.ts'
import { formatNative } from '../../format/amounts.ts'
import { isAddress } from '../../format/hex.ts'
import { readAmount } from '../../format/read-amount.ts'
import { ActionButton } from './action-button.tsx'
import { assertAccepted } from './assert-accepted.ts'
import { Command } from './command.tsx'
import { useWalletAction } from './use-wallet-action.ts'

export type Direction = 'deposit' | 'withdraw'

export interface TransferFormProps {
  readonly direction: Direction
  readonly wallet: Wallet | null
  /** Null before the wallet is connected. */
  readonly account: string | null
  onSent(hash: string): void
}

const REFRESH_MS = 6_000
/** More than the transaction takes. */
const FEE_GAS: Readonly<Record<Layer, bigint>> = { l1: 700_000n, l2: 300_000n }

export function TransferForm({ direction, wallet, account, onSent }: TransferFormProps) {
  const config = useConfig()
  const { currency } = config.l2
  const layer: Layer = direction === 'deposit' ? 'l1' : 'l2'
  const [typed, setTyped] = useState('')
  const [recipient, setRecipient] = useState('')
  const action = useWalletAction()
  const funds = useQuery(account === null ? null : `funds ${layer} ${account}`, () => readFunds(layer, account ?? ''), REFRESH_MS).data
  const amount = readAmount(typed, {
    currency,
    minimumWei: direction === 'deposit' ? MINIMUM_DEPOSIT_WEI : 1n,
    balanceWei: funds?.balanceWei ?? null,
    feeWei: funds?.feeWei ?? 0n,
  })
  const named = recipient.trim()
  const isRecipientWrong = named !== '' && !isAddress(named)
  const to = named === '' ? account : named
  const bridge = direction === 'deposit' ? config.contracts.l1.L1StandardBridge : L2_STANDARD_BRIDGE
  const isReady = amount.wei !== null && !isRecipientWrong && account !== null && to !== null && bridge !== undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isReady || wallet === null || amount.wei === null) return
    const data = bytesToHex(encodeBridgeEthTo(toAddress(to.toLowerCase()), BRIDGE_GAS_LIMIT))
    const transaction = { from: account, to: bridge, data, valueWei: amount.wei }
    action.run(async () => {
      await assertAccepted(layer, transaction)
      onSent(await sendWithWallet(wallet, transaction, config[layer].chainId, config))
      setTyped('')
    })
  }
  return (
    <form onSubmit={submit}>
      <label htmlFor="bridge-amount">Amount in {currency}</label>
      <input
        id="bridge-amount"
        className="text-input"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        placeholder="0.5"
        inputMode="decimal"
        autoComplete="off"
        maxLength={64}
        aria-invalid={amount.trouble !== null}
        aria-describedby="bridge-amount-words"
      />
      <p id="bridge-amount-words" className={amount.trouble === null ? 'hint' : 'notice-line'} aria-live="polite">
        {amount.trouble ?? (funds == null ? ' ' : `${formatNative(funds.balanceWei, currency)} on ${layer.toUpperCase()}`)}
      </p>
      <label htmlFor="bridge-recipient">Recipient on {direction === 'deposit' ? 'L2' : 'L1'}</label>
      <input
        id="bridge-recipient"
        className="text-input hex"
        value={recipient}
        onChange={(event) => setRecipient(event.target.value)}
        placeholder={account ?? 'the account that sends'}
        autoComplete="off"
        spellCheck={false}
        maxLength={64}
        aria-invalid={isRecipientWrong}
        aria-describedby="bridge-recipient-words"
      />
      <p id="bridge-recipient-words" className={isRecipientWrong ? 'notice-line' : 'hint'} aria-live="polite">
        {isRecipientWrong ? 'An address has 0x and 40 hex digits.' : 'Leave it empty for your own account.'}
      </p>
      {wallet === null ? (
        <Command text={commandOf(direction, amount.wei === null ? '0.5' : typed.trim(), isRecipientWrong ? '' : named)} />
      ) : (
        <ActionButton action={action} name={direction === 'deposit' ? 'Deposit' : 'Withdraw'} isPossible={isReady} />
      )}
    </form>
  )
}

export function commandOf(direction: Direction, amount: string, to: string): string {
  return `npx keelson bridge ${direction} --amount ${amount}${to === '' ? '' : ` --to ${to}`}`
}

async function readFunds(layer: Layer, account: string) {
  const [balance, price] = await Promise.all([
    rpcOn<string>(layer, 'eth_getBalance', [account, 'latest']),
    rpcOn<string>(layer, 'eth_gasPrice', []),
  ])
  return { balanceWei: BigInt(balance), feeWei: BigInt(price) * FEE_GAS[layer] }
}
