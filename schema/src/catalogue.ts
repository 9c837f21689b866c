import { changePassword, endOwnSession, getAccount, listOwnSessions } from './contracts/account.ts'
import { deleteApiKey, listApiKeys, saveApiKey, testApiKey } from './contracts/api-keys.ts'
import { approve, listApprovals, rejectApproval, withdrawApproval } from './contracts/approvals.ts'
import { exportAudit, getAuditKey, listAudit } from './contracts/audit.ts'
import { login, logout } from './contracts/auth.ts'
import { authMethods } from './contracts/auth-methods.ts'
import { bitgetEndpoints } from './contracts/bitget.ts'
import {
  createClient,
  deleteClient,
  listClients,
  toggleClient,
  updateClient,
} from './contracts/clients.ts'
import {
  confirmTotp,
  createPasskey,
  createRecoveryCodes,
  createTotp,
  passkeyOptions,
  removeFactor,
  renameFactor,
} from './contracts/factors.ts'
import { adminOpenApi, getMetrics, healthLive, healthReady, openApi } from './contracts/health.ts'
import {
  changeClientLimits,
  getClientLimits,
  getOwnLimits,
  replaceClientLimits,
} from './contracts/limits.ts'
import { exportLogs, getLogHistogram, listLogs } from './contracts/logs.ts'
import { mexcEndpoints } from './contracts/mexc.ts'
import { listNodes } from './contracts/nodes.ts'
import { beginOpenId, openIdCallback, openIdSession } from './contracts/openid.ts'
import { dropQueueOfClient, getOperations, getOperationsHistory } from './contracts/operations.ts'
import {
  endOrder,
  exportOrders,
  getOrderLife,
  getOrderSums,
  listOrders,
} from './contracts/orders.ts'
import { cancelOwnOrders, getOwnCancel, listOwnOrders } from './contracts/own-orders.ts'
import {
  changePerson,
  createPerson,
  endSessionsOfPerson,
  listPeople,
  listSessionsOfPerson,
  resetPassword,
} from './contracts/people.ts'
import {
  dropQueueEntry,
  getExchangeStop,
  getStopOfEverything,
  listQueue,
  previewExchangeStop,
  previewStopOfEverything,
  resumeEverything,
  resumeExchange,
  stopEverything,
  stopExchange,
} from './contracts/queue.ts'
import { getRequest, withdrawRequest } from './contracts/requests.ts'
import { confirm, confirmPasskey, secondFactor } from './contracts/second-step.ts'
import {
  endOldSecret,
  issueClientToken,
  listClientSecrets,
  rotateClientSecret,
} from './contracts/secrets.ts'
import { getStats } from './contracts/stats.ts'
import {
  getClientHeartbeat,
  getClientStop,
  previewClientStop,
  putHeartbeat,
  resumeClient,
  stopClient,
} from './contracts/stops.ts'
import { listAccountStreams, listClientStreams } from './contracts/stream-status.ts'
import { streamEvents, streamSocket, streamsAsyncApi } from './contracts/streams.ts'
import { getToken, oauthMetadata, oauthToken } from './contracts/tokens.ts'
import type { Endpoint } from './endpoint.ts'

/** Every endpoint of the gateway, in the order in which OpenAPI and the console show them. */
export const catalogue: readonly Endpoint[] = [
  login,
  secondFactor,
  authMethods,
  beginOpenId,
  openIdCallback,
  openIdSession,
  logout,
  confirm,
  confirmPasskey,
  getToken,
  oauthToken,
  oauthMetadata,
  getAccount,
  changePassword,
  listOwnSessions,
  endOwnSession,
  createTotp,
  confirmTotp,
  passkeyOptions,
  createPasskey,
  renameFactor,
  removeFactor,
  createRecoveryCodes,
  listPeople,
  createPerson,
  changePerson,
  resetPassword,
  listSessionsOfPerson,
  endSessionsOfPerson,
  listApprovals,
  approve,
  rejectApproval,
  withdrawApproval,
  listClients,
  createClient,
  updateClient,
  toggleClient,
  deleteClient,
  listClientSecrets,
  rotateClientSecret,
  endOldSecret,
  issueClientToken,
  getClientLimits,
  replaceClientLimits,
  changeClientLimits,
  stopClient,
  getClientStop,
  previewClientStop,
  resumeClient,
  getClientHeartbeat,
  listClientStreams,
  listApiKeys,
  saveApiKey,
  deleteApiKey,
  testApiKey,
  getStats,
  listLogs,
  getLogHistogram,
  exportLogs,
  getOperations,
  getOperationsHistory,
  listNodes,
  listAccountStreams,
  listQueue,
  dropQueueEntry,
  dropQueueOfClient,
  stopExchange,
  getExchangeStop,
  previewExchangeStop,
  resumeExchange,
  stopEverything,
  getStopOfEverything,
  previewStopOfEverything,
  resumeEverything,
  listOrders,
  getOrderSums,
  exportOrders,
  getOrderLife,
  endOrder,
  listAudit,
  exportAudit,
  getAuditKey,
  ...mexcEndpoints,
  ...bitgetEndpoints,
  streamEvents,
  streamSocket,
  streamsAsyncApi,
  listOwnOrders,
  cancelOwnOrders,
  getOwnCancel,
  getRequest,
  withdrawRequest,
  getOwnLimits,
  putHeartbeat,
  healthLive,
  healthReady,
  getMetrics,
  openApi,
  adminOpenApi,
]
