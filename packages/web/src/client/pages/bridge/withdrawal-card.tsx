import { useState } from 'react'
import { useConfig } from '../../data/config.ts'
import { rpcOn } from '../../data/rpc.ts'
import { useAbis } from '../../data/use-abis.ts'
import { useQuery } from '../../data/use-query.ts'
import { useWalletAction } from '../../data/wallet/use-wallet-action.ts'
import { sendWithWallet, type Wallet, walletAddress } from '../../data/wallet/wallet.ts'
import { shortHex } from '../../format/hex.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { NativeAmount } from '../../parts/amounts/native-amount.tsx'
import { Card } from '../../parts/card.tsx'
import { Command } from '../../parts/command/command.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { TransactionLink } from '../../parts/hashes/hash.tsx'
import { L1Transaction } from '../../parts/hashes/l1-links.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Ago } from '../../parts/time.tsx'
import { assertAccepted } from './assert-accepted.ts'
import type { WithdrawalStatus } from './bridge-types.ts'
import { badgeOf } from './deposit-card.tsx'
import { StepList } from './step-list.tsx'
import { withdrawalSteps } from './steps.ts'
import { useWithdrawals } from './use-transfer.ts'
import { finalizeCall, proveCall } from './withdrawal-calls.ts'

const RECEIPT_MS = 2_000

/** Withdrawals by their transaction on L2. */
export function WithdrawalCard({ hash, wallet }: { readonly hash: string; readonly wallet: Wallet | null }) {
  const { data, error } = useWithdrawals(hash)
  if (data === null)
    return (
      <Card title="Withdrawal">
        <Notice error={error} what={`the withdrawal ${shortHex(hash)}`} />
      </Card>
    )
  return data.withdrawals.map((withdrawal, i) => (
    <Card
      key={withdrawal.withdrawalHash ?? i}
      title={
        withdrawal.value === null || withdrawal.value === '0' ? (
          'Withdrawal'
        ) : (
          <>
            Withdrawal of <NativeAmount wei={withdrawal.value} />
          </>
        )
      }
      aside={<span className={`badge ${badgeOf(withdrawal.status)}`}>{withdrawal.status.replaceAll('-', ' ')}</span>}
    >
      <StepList steps={withdrawalSteps(withdrawal)} />
      <Facts>
        <Fact name="Next">
          {withdrawal.nextAction.text}
          {withdrawal.nextStepTime !== null && (
            <>
              ; possible <Ago ms={Date.parse(withdrawal.nextStepTime)} />
            </>
          )}
        </Fact>
        <Fact name="State">{withdrawal.text}</Fact>
        <Fact name="On L2">
          <TransactionLink hash={hash} ends={8} />
        </Fact>
      </Facts>
      <NextStep l2Transaction={hash} withdrawal={withdrawal} wallet={wallet} />
    </Card>
  ))
}

interface NextStepProps {
  readonly l2Transaction: string
  readonly withdrawal: WithdrawalStatus
  readonly wallet: Wallet | null
}

/** Anyone may pay for a step; the money goes to the recipient. */
function NextStep({ l2Transaction, withdrawal: { status, withdrawalHash, nextAction }, wallet }: NextStepProps) {
  const config = useConfig()
  const abis = useAbis()
  const action = useWalletAction()
  const [sent, setSent] = useState<{ readonly hash: string; readonly during: string } | null>(null)
  const isSent = sent !== null && sent.during === status
  const receipt = useQuery(
    isSent ? `l1 receipt ${sent.hash}` : null,
    () => rpcOn<{ readonly status: string } | null>('l1', 'eth_getTransactionReceipt', [sent?.hash]),
    RECEIPT_MS,
  )
  const { code } = nextAction
  const { OptimismPortal: portal, L2OutputOracle: oracle } = config.contracts.l1
  if (status === 'failed' || status === 'finalized') return null
  if (code !== 'prove' && code !== 'finalize') {
    if (wallet !== null)
      return <p className="hint">You may close this page: its address and the list of your transfers below lead back to this step.</p>
    const later = status === 'waiting-to-prove' ? 'prove' : 'finalize'
    return <Command text={`${config.commands[later]} ${l2Transaction} --wait`} />
  }
  if (wallet === null || withdrawalHash === null || portal === undefined || oracle === undefined)
    return <Command text={`${config.commands[code]} ${l2Transaction}`} />
  const hasFailed = isSent && receipt.data?.status === '0x0'
  const start = () =>
    action.run(async () => {
      const from = await walletAddress(wallet)
      const data =
        code === 'prove' ? await proveCall(l2Transaction, withdrawalHash, oracle) : await finalizeCall(l2Transaction, withdrawalHash)
      const transaction = { from, to: portal, data, valueWei: 0n }
      await assertAccepted('l1', transaction, abis)
      const hash = await sendWithWallet(wallet, transaction, config.l1.chainId, config)
      setSent({ hash, during: status })
    })
  if (isSent && !hasFailed)
    return (
      <p className="hint" role="status">
        Sent in L1 transaction <L1Transaction hex={sent.hash} full />; the next step follows when L1 has it.
      </p>
    )
  return (
    <>
      {hasFailed && (
        <p className="notice-line">
          The transaction <L1Transaction hex={sent.hash} /> failed on L1.
        </p>
      )}
      <ActionButton action={action} name={code === 'prove' ? 'Prove on L1' : 'Finalize on L1'} onClick={start} />
    </>
  )
}
