import type { WalletAction } from '../data/wallet/use-wallet-action.ts'

export interface ActionButtonProps {
  readonly action: WalletAction
  readonly name: string
  readonly isPossible?: boolean
  /** Without it the button submits its form. */
  readonly onClick?: () => void
}

/** A button that opens the wallet, and what came of it. */
export function ActionButton({ action, name, isPossible = true, onClick }: ActionButtonProps) {
  return (
    <>
      <div className="form-actions">
        <button
          type={onClick === undefined ? 'submit' : 'button'}
          className="button"
          disabled={action.isAsking || !isPossible}
          onClick={onClick}
        >
          {action.isAsking ? 'Waiting for the wallet' : name}
        </button>
        {action.isAsking && (
          <button type="button" className="button is-plain" onClick={() => action.stopWaiting()}>
            Stop waiting
          </button>
        )}
      </div>
      <p role="status" className={action.trouble === null ? undefined : 'notice-line'}>
        {action.trouble}
      </p>
    </>
  )
}
