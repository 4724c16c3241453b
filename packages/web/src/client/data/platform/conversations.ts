/** Conversations of the account: sessions of the platform, each with a token of its own. */
import { useCallback, useEffect, useState } from 'react'
import { Refusal } from '../get-json.ts'
import { withRetries } from '../retries.ts'
import { type Account, logOut } from './account.ts'
import { ask } from './ask.ts'

export interface Conversation {
  readonly id: string
  readonly name: string
  readonly token: string
}

interface SessionJson {
  readonly session_id: string
  readonly name: string
  readonly token: { readonly access_token: string }
}

const AUTH = '/api/v1/auth'
const MAX_NAME = 60

export interface Conversations {
  /** Newest first; null until they are there. */
  readonly list: readonly Conversation[] | null
  readonly error: Error | null
  create(): Promise<Conversation>
  rename(conversation: Conversation, name: string): Promise<void>
  remove(conversation: Conversation): Promise<void>
}

export function useConversations(account: Account): Conversations {
  const [list, setList] = useState<readonly Conversation[] | null>(null)
  const [error, setError] = useState<Error | null>(null)
  const { token } = account
  useEffect(() => {
    const leaving = new AbortController()
    const say = (failure: Error | null) => !leaving.signal.aborted && setError(failure)
    const show = (fetched: readonly Conversation[]) => {
      if (leaving.signal.aborted) return
      say(null)
      // The reader may have begun one before this answer, which may lack it.
      setList((known) => [...(known ?? []), ...fetched.filter(({ id }) => !known?.some((one) => one.id === id))])
    }
    const fetchAll = () => ask<readonly SessionJson[]>(`${AUTH}/sessions`, { token })
    withRetries(fetchAll, leaving.signal, say).then(
      (sessions) => show(sessions.map(conversationOf).reverse()),
      (failure: Error) => {
        if (leaving.signal.aborted) return
        leaveIfExpired(failure)
        say(failure)
      },
    )
    return () => leaving.abort()
  }, [token])
  const create = useCallback(async () => {
    const created = conversationOf(await ask<SessionJson>(`${AUTH}/session`, { method: 'POST', token }).catch(rethrow))
    setList((known) => [created, ...(known ?? [])])
    return created
  }, [token])
  const rename = useCallback(async (conversation: Conversation, name: string) => {
    const shown = name.trim().slice(0, MAX_NAME)
    if (shown === '') return
    const path = `${AUTH}/session/${conversation.id}/name`
    await ask(path, { method: 'PATCH', token: conversation.token, form: { name: shown } })
    setList((known) => known?.map((one) => (one.id === conversation.id ? { ...one, name: shown } : one)) ?? null)
  }, [])
  const remove = useCallback(async (conversation: Conversation) => {
    await ask(`${AUTH}/session/${conversation.id}`, { method: 'DELETE', token: conversation.token })
    setList((known) => known?.filter(({ id }) => id !== conversation.id) ?? null)
  }, [])
  return { list, error, create, rename, remove }
}

function rethrow(error: Error): never {
  leaveIfExpired(error)
  throw error
}

function leaveIfExpired(error: Error): void {
  if (error instanceof Refusal && error.status === 401) logOut('Your login has expired. Log in again.')
}

function conversationOf({ session_id, name, token }: SessionJson): Conversation {
  return { id: session_id, name, token: token.access_token }
}
