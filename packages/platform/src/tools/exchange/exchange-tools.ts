/** The list of the market-data tools. */
import { SubscribeRequest, UnsubscribeRequest } from '../../schemas/exchange.ts'
import { describeTool, type ToolList } from '../../schemas/tool-list.ts'

export const EXCHANGE_TOOLS: ToolList = {
  tools: [
    describeTool('exchange_subscribe', 'Subscribes this session to trades and candles of a symbol.', SubscribeRequest),
    describeTool('exchange_unsubscribe', 'Ends a subscription of this session.', UnsubscribeRequest),
  ],
}
