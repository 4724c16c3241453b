import type { ContractTable } from '../../support/platform/contract-case.ts'
import { AUTH } from './auth.ts'
import { CHAT } from './chat.ts'
import { EXCHANGE } from './exchange.ts'
import { HEALTH } from './health.ts'
import { MCP } from './mcp.ts'
import { MULTI_AGENT } from './multi-agent.ts'
import { PORTFOLIO } from './portfolio.ts'
import { TOOLS } from './tools.ts'
import { TRADING } from './trading.ts'

export const CONTRACT_TABLES: readonly ContractTable[] = [AUTH, HEALTH, TOOLS, EXCHANGE, PORTFOLIO, TRADING, MULTI_AGENT, CHAT, MCP]
