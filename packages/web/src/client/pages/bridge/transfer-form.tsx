import { BRIDGE_GAS_LIMIT, encodeBridgeEthTo, MINIMUM_DEPOSIT_WEI } from '@keelson/contracts/bridge'
import { bytesToHex, L2_STANDARD_BRIDGE, toAddress } from '@keelson/primitives'
import { type FormEvent, useState } from 'react'
import { useConfig } from '../../data/config.ts'
import type { Layer } from '../../data/rpc.ts'
import { useAbis } from '../../data/use-abis.ts'
import { useWalletAction } from '../../data/wallet/use-wallet-action.ts'
import { sendWithWallet, type Wallet } from '../../data/wallet/wallet.ts'
import { exactAmount } from '../../format/exact-amount.ts'
import { readAmount } from '../../format/read-amount.ts'
import { recipientTrouble } from '../../format/recipient-trouble.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { NativeAmount } from '../../parts/amounts/native-amount.tsx'
import { Command } from '../../parts/command/command.tsx'
import { assertAccepted } from './assert-accepted.ts'
import { TransferQuote } from './transfer-quote.tsx'
import { useFunds } from './use-funds.ts'

export type Direction = 'deposit' | 'withdraw'

export interface TransferFormProps {
  readonly direction: Direction
  readonly wallet: Wallet | null
  /** Null before the wallet is connected. */
  readonly account: string | null
  /** Chain that the wallet is on; null while it is not known. */
  readonly chainId: number | null
  onSent(hash: string): void
}

export function TransferForm({ direction, wallet, account, chainId, onSent }: TransferFormProps) {
  const config = useConfig()
  const { currency } = config.l2
  const layer: Layer = direction === 'deposit' ? 'l1' : 'l2'
  const [typed, setTyped] = useState('')
  const [recipient, setRecipient] = useState('')
  const abis = useAbis()
  const action = useWalletAction()
  const funds = useFunds(layer, account)
  const amount = readAmount(typed, {
    currency,
    minimumWei: direction === 'deposit' ? MINIMUM_DEPOSIT_WEI : 1n,
    balanceWei: funds?.balanceWei ?? null,
    feeWei: funds?.feeWei ?? 0n,
  })
  const named = recipient.trim()
  const trouble = named === '' ? null : recipientTrouble(named)
  const to = named === '' ? account : named
  const bridge = direction === 'deposit' ? config.contracts.l1.L1StandardBridge : L2_STANDARD_BRIDGE
  const mostWei = funds === null ? 0n : funds.balanceWei - funds.feeWei
  const isReady = amount.wei !== null && trouble === null && account !== null && to !== null && bridge !== undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isReady || wallet === null || amount.wei === null) return
    const data = bytesToHex(encodeBridgeEthTo(toAddress(to.toLowerCase()), BRIDGE_GAS_LIMIT))
    const transaction = { from: account, to: bridge, data, valueWei: amount.wei }
    action.run(async () => {
      await assertAccepted(layer, transaction, abis)
      onSent(await sendWithWallet(wallet, transaction, config[layer].chainId, config))
      setTyped('')
    })
  }
  return (
    <form onSubmit={submit}>
      <label htmlFor="bridge-amount">Amount in {currency}</label>
      <div className="amount-line">
        <input
          id="bridge-amount"
          className="text-input"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          placeholder="0.0"
          inputMode="decimal"
          autoComplete="off"
          maxLength={64}
          aria-invalid={amount.trouble !== null}
          aria-describedby="bridge-amount-words"
        />
        {mostWei > 0n && (
          <button type="button" className="button is-plain" onClick={() => setTyped(exactAmount(mostWei))}>
            Max
          </button>
        )}
      </div>
      <p id="bridge-amount-words" className={amount.trouble === null ? 'hint' : 'notice-line'} aria-live="polite">
        {amount.trouble ??
          (funds === null ? (
            ' '
          ) : (
            <>
              Balance: <NativeAmount wei={funds.balanceWei} /> on {layer.toUpperCase()}
            </>
          ))}
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
        aria-invalid={trouble !== null}
        aria-describedby="bridge-recipient-words"
      />
      <p id="bridge-recipient-words" className={trouble === null ? 'hint' : 'notice-line'} aria-live="polite">
        {trouble ?? 'Leave it empty for your own account.'}
      </p>
      {wallet === null ? (
        <Command text={commandOf(config.commands[direction], amount.wei === null ? '0.5' : typed.trim(), trouble === null ? named : '')} />
      ) : (
        <>
          <TransferQuote isDeposit={direction === 'deposit'} amountWei={amount.wei} funds={funds} />
          {chainId !== null && chainId !== config[layer].chainId && (
            <p className="hint">
              The wallet is on chain {chainId}; it asks you first to change to {layer.toUpperCase()}, chain {config[layer].chainId}.
            </p>
          )}
          <ActionButton action={action} name={direction === 'deposit' ? 'Deposit' : 'Withdraw'} isPossible={isReady} />
        </>
      )}
    </form>
  )
}

export function commandOf(beginning: string, amount: string, to: string): string {
  return `${beginning} --amount ${amount}${to === '' ? '' : ` --to ${to}`}`
}
