import { useHeads } from '../data/use-network.ts'

/** One word on whether the facts on the page are fresh. */
export function Connection() {
  const { data, error } = useHeads()
  const state = error !== null ? 'offline' : data === null ? 'connecting' : data.heads === null ? 'no node' : 'live'
  const words = {
    offline: 'The server of these pages does not answer. The page shows what it knew last.',
    connecting: 'Connecting.',
    'no node': 'No consensus client answers the server.',
    live: 'The page is connected and updates by itself.',
  }[state]
  return (
    <span className={`connection is-${state.replace(' ', '-')}`} role="status" title={words}>
      <span className="connection-dot" aria-hidden="true" />
      {state}
    </span>
  )
}
