package main

import (
	"errors"
	"fmt"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"

	"github.com/seed-78daf238/handoff/lib/fault"
)

// answerOf returns the HTTP status and the code of an error of the SDK, 0 and "" without an answer.
func answerOf(err error) (status int, code string) {
	if answer, is := errors.AsType[*awshttp.ResponseError](err); is {
		status = answer.HTTPStatusCode()
	}
	if e, is := errors.AsType[smithy.APIError](err); is {
		code = e.ErrorCode()
	}
	return status, code
}

// explain returns what an error of the SDK means.
func (s *store) explain(err error) error {
	if err == nil {
		return nil
	}
	advice := "run `" + s.login + "`; the credentials must allow s3:GetObject, s3:PutObject and s3:ListBucket"
	switch status, code := answerOf(err); {
	case status == 401, status == 403:
	case status/100 == 3, code == "NoSuchBucket", code == "AuthorizationHeaderMalformed":
		advice = "correct url:, endpoint: or region: of the remote in your settings"
	default:
		return fmt.Errorf("%s: %w", s.URL, err)
	}
	return fault.Config(advice, "%s refuses: %v", s.URL, err)
}
