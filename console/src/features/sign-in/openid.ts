// One piece: the button alone would cost a request for next to nothing.
export { OpenIdButton } from './openid-button.tsx'
export { OpenIdPage } from './openid-page.tsx'
