/** Never change a released migration: add another. */
import type { Migration } from '../migrate.ts'
import { usersAndSessions } from './0001-users-and-sessions.ts'
import { portfolio } from './0002-portfolio.ts'
import { trading } from './0003-trading.ts'
import { chat } from './0004-chat.ts'
import { storedBytes } from './0005-stored-bytes.ts'

export const MIGRATIONS: readonly Migration[] = [usersAndSessions, portfolio, trading, chat, storedBytes]
