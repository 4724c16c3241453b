import { useAccount } from '../../data/platform/account.ts'
import { LoginCard } from '../../parts/login-card.tsx'
import { useTitle } from '../../shell/use-title.ts'
import { ChatRoom } from './chat-room.tsx'
import { Demonstration } from './demonstration.tsx'
import '../explorer/explorer.css'
import './chat.css'

export function ChatPage() {
  useTitle('Chat')
  const account = useAccount()
  return (
    <>
      <h1>Chat</h1>
      {account === null ? (
        <div className="chat-welcome">
          <Demonstration />
          <LoginCard why="The assistant answers questions about this chain, quotes swaps, and trades when you confirm." />
        </div>
      ) : (
        <ChatRoom account={account} />
      )}
    </>
  )
}
