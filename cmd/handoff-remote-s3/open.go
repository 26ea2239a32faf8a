package main

import (
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials/ssocreds"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/seed-78daf238/handoff/lib/exchange/remote"
	"github.com/seed-78daf238/handoff/lib/fault"
)

// open finds the credentials for a place, unless it is open.
func (s *store) open(place remote.Place) error {
	if s.api != nil {
		return nil
	}
	path, ok := strings.CutPrefix(place.URL, "s3://")
	if !ok {
		return fault.Config("correct it in your settings", "url: %s is not s3://BUCKET/PREFIX", fault.Quote(place.URL))
	}
	s.Place = place
	s.bucket, s.prefix, _ = strings.Cut(strings.TrimRight(path, "/")+"/", "/")
	cfg, err := config.LoadDefaultConfig(ctx, config.WithSharedConfigProfile(s.Profile), config.WithRegion(s.Region),
		config.WithDefaultRegion("us-east-1")) // other object stores accept it
	if err == nil {
		_, err = cfg.Credentials.Retrieve(ctx)
	}
	s.login = "aws configure"
	if aws.IsCredentialsProvider(cfg.Credentials, (*ssocreds.Provider)(nil)) {
		s.login = "aws sso login"
	}
	if s.Profile != "" {
		s.login += " --profile " + s.Profile
	}
	if err != nil {
		return fault.Config("run `"+s.login+"`, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
			"no credentials for %s: %v", s.URL, err)
	}
	api := s3.NewFromConfig(cfg, s.set)
	if endpoint := api.Options().BaseEndpoint; endpoint != nil && !regexp.MustCompile(safe).MatchString(*endpoint) {
		return fault.Config("use https:", "endpoint: %s is not encrypted, and not on this machine", *endpoint)
	}
	s.api, s.proof = api, sync.OnceValue(s.prove)
	return nil
}

// set sets the options of the SDK.
func (s *store) set(o *s3.Options) {
	if s.Endpoint != "" {
		o.BaseEndpoint = &s.Endpoint
	}
	o.UsePathStyle = o.BaseEndpoint != nil              // other object stores have no host for each bucket
	with, ok := o.HTTPClient.(*awshttp.BuildableClient) // the user's certificates
	if !ok {
		with = awshttp.NewBuildableClient()
	}
	transport := with.GetTransport()
	transport.ResponseHeaderTimeout = 20 * time.Second
	o.HTTPClient = &http.Client{Transport: transport, Timeout: 4 * time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	o.Retryer = retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts, o.MaxBackoff, o.RateLimiter = 5, 3*time.Second, ratelimit.None
		o.Retryables = append(o.Retryables, retry.RetryableHTTPStatusCode{Codes: map[int]struct{}{409: {}}})
	})
	o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired // not all object stores know them
	o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
}

// safe are the endpoints that are encrypted, or on this machine.
const safe = `^(https://|http://(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(/|$))`
